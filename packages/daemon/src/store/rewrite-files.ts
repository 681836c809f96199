/**
 * Writes the text files of a state folder anew without a secret: logs, transcripts, notes, what jobs wrote. Invariant: a
 * file is there whole, old or new, with its mode; links are not followed.
 */
import type { Dirent } from 'node:fs';
import { chmod, lstat, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Of the database and of the archive, maintenance takes care itself. */
const notHere = /^(?:archive|zerd\.db.*)$/;
/** Larger files are not text that people wrote or were shown. */
const mostBytes = 256 * 1024 * 1024;

export async function rewriteFiles(folder: string, secret: string, replacement: string): Promise<number> {
  let rewritten = 0;
  for (const entry of await entriesOf(folder)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) rewritten += await rewriteFiles(path, secret, replacement);
    else if (entry.isFile() && (await rewriteFile(path, secret, replacement))) rewritten += 1;
  }
  return rewritten;
}

async function entriesOf(folder: string): Promise<readonly Dirent[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries.filter(({ name }) => !notHere.test(name));
}

async function rewriteFile(path: string, secret: string, replacement: string): Promise<boolean> {
  const { size, mode } = await lstat(path);
  if (size > mostBytes) return false;
  const text = await readFile(path, 'latin1');
  const inBytes = (value: string) => Buffer.from(value).toString('latin1');
  const inJson = JSON.stringify(secret).slice(1, -1);
  const next = text.replaceAll(inBytes(secret), replacement).replaceAll(inBytes(inJson), replacement);
  if (next === text) return false;
  const draft = `${path}.rewritten`;
  await writeFile(draft, next, { encoding: 'latin1', mode });
  await chmod(draft, mode);
  await rename(draft, path);
  return true;
}
