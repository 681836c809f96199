/**
 * Writes the text files of a state folder anew without a secret: logs, transcripts, notes; in what jobs wrote, which they
 * may go on writing, it is blanked out. Invariant: a file is there whole, old or new, with its mode; links are not followed.
 */
import type { Dirent } from 'node:fs';
import { chmod, lstat, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { blankOut } from './blank-out.ts';

/** Of the database and of the archive, maintenance takes care itself. A lock that is read and closed is lost. */
const notHere = /^(?:archive|zerd\.db.*|.*\.lock)$/;
/** Written by commands that may be running. */
const livingFolder = 'jobs';
/** Larger files are not text that people wrote or were shown. */
const mostBytes = 256 * 1024 * 1024;

export async function rewriteFiles(folder: string, secret: string, replacement: string): Promise<number> {
  let rewritten = 0;
  for (const entry of await entriesOf(folder)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && entry.name === livingFolder) rewritten += await blankAllOut(path, formsOf(secret));
    else if (entry.isDirectory()) rewritten += await rewriteFiles(path, secret, replacement);
    else if (entry.isFile() && (await rewriteFile(path, secret, replacement))) rewritten += 1;
  }
  return rewritten;
}

/** As it is, and as JSON writes it. */
function formsOf(secret: string): readonly Buffer[] {
  return [...new Set([secret, JSON.stringify(secret).slice(1, -1)])].map((form) => Buffer.from(form));
}

/** A job that ends meanwhile takes its folder with it. */
async function blankAllOut(folder: string, secrets: readonly Buffer[]): Promise<number> {
  let blanked = 0;
  for (const entry of await unlessGone(readdir(folder, { withFileTypes: true }), [])) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) blanked += await blankAllOut(path, secrets);
    else if (entry.isFile() && (await unlessGone(blankOut(path, secrets), false))) blanked += 1;
  }
  return blanked;
}

async function unlessGone<T>(done: Promise<T>, otherwise: T): Promise<T> {
  try {
    return await done;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return otherwise;
    throw error;
  }
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
