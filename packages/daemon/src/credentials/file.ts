/**
 * The file in which keys and sign-ins are kept where there is no keychain: `credentials.json` in the user's configuration
 * folder, readable by its user alone. Invariants: it is replaced whole or not at all; what cannot be read is never written
 * over; nothing of it is logged.
 */
import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { isZerdError, ZerdError } from '@zerd/protocol/common/errors';
import { z } from 'zod';

const tokensSchema = z.object({
  access: z.string(),
  refresh: z.string(),
  clientId: z.string(),
  expiresAt: z.number(),
  issuedAt: z.number().optional(),
  email: z.string().optional(),
  plan: z.string().optional(),
});

const fileSchema = z.object({
  /** Names this installation to providers that want to know it again. */
  installation: z.string().optional(),
  /** By provider: the key itself, or that the keychain holds it. */
  keys: z
    .record(z.string(), z.union([z.object({ key: z.string() }), z.object({ in: z.literal('keychain') })]))
    .optional(),
  signIns: z.record(z.string(), tokensSchema).optional(),
});

export type CredentialsFile = z.infer<typeof fileSchema>;

/** A file that is not there holds nothing. Throws config_broken. */
export function readCredentials(file: string): CredentialsFile {
  let text: string;
  try {
    // A pipe under this name would keep the daemon waiting for ever.
    if (!statSync(file).isFile()) throw broken(file, 'is not a regular file');
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (isZerdError(error)) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOTDIR') throw broken(file, 'cannot be there: a file stands in the place of its folder');
    if (code !== 'ENOENT') throw broken(file, `cannot be read (${code})`);
    if (isLink(file)) throw broken(file, 'is a link that leads nowhere');
    return {};
  }
  const parsed = fileSchema.safeParse(parse(text));
  if (!parsed.success) throw broken(file, 'is not what zerd wrote');
  return parsed.data;
}

/** True: other users could read it until now. */
export function closeToOthers(file: string): boolean {
  try {
    const stat = statSync(file);
    if (!stat.isFile() || (stat.mode & 0o077) === 0) return false;
    chmodSync(file, 0o600);
    return true;
  } catch {
    // Not there, or not ours to change: reading it says what is wrong.
    return false;
  }
}

/** Throws store_failed: what was there is there still. */
export function writeCredentials(file: string, content: CredentialsFile): void {
  const next = `${file}.${process.pid}.${randomUUID().slice(0, 8)}`;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const open = openSync(next, 'wx', 0o600);
    try {
      writeSync(open, `${JSON.stringify(content, undefined, 2)}\n`);
      fsyncSync(open);
    } finally {
      closeSync(open);
    }
    renameSync(next, file);
  } catch (error) {
    rmSync(next, { force: true });
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    throw new ZerdError('store_failed', `${file} could not be written (${code}); it stands as it was.`);
  }
}

function isLink(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function broken(file: string, what: string): ZerdError {
  return new ZerdError(
    'config_broken',
    `${file} ${what}. It was left as it is, and nothing of it is used: mend it, or move it away and run \`zerd login\` again.`,
  );
}
