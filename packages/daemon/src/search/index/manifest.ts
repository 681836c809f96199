/** Says which segments make up the index. Invariant: it is replaced as a whole, after its segments are on disk. */
import { closeSync, fsyncSync, openSync, readdirSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { z } from 'zod';
import { errorCode } from '../../files/fs-failure.ts';
import { syncFolder } from './write-segment.ts';

const manifestSchema = z.strictObject({
  version: z.literal(1),
  root: z.string(),
  ripgrep: z.string(),
  builtAt: z.number(),
  buildMs: z.number(),
  why: z.string(),
  files: z.number(),
  corpusBytes: z.number(),
  blocks: z.number(),
  indexBytes: z.number(),
  /** Older ones first. */
  segments: z.array(z.strictObject({ name: z.string().regex(/^seg-\d+\.zsi$/), headerCrc: z.number() })).min(1),
});

export type Manifest = z.infer<typeof manifestSchema>;

const name = 'MANIFEST';

/** Undefined: there is none. Throws when it is not as it was written. */
export function readManifest(folder: string): Manifest | undefined {
  let text: string;
  try {
    text = readFileSync(join(folder, name), 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  const [sum = '', json = ''] = text.split('\n');
  if (Number(sum) !== crc32(json)) throw new Error('the manifest is damaged');
  return manifestSchema.parse(JSON.parse(json));
}

export function writeManifest(folder: string, manifest: Manifest): void {
  const json = JSON.stringify(manifest);
  const temporary = join(folder, `${name}.tmp`);
  const fd = openSync(temporary, 'w', 0o600);
  try {
    writeSync(fd, `${crc32(json)}\n${json}\n`);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(temporary, join(folder, name));
  syncFolder(folder);
}

/** Removes what no manifest names: left over by a crash or replaced. */
export function removeOthers(folder: string, manifest: Manifest | undefined): void {
  const kept = new Set(manifest?.segments.map((segment) => segment.name));
  for (const entry of readdirSync(folder)) {
    const ours = /^seg-\d+\.zsi(?:\.tmp)?$|^spill-|^MANIFEST\.tmp$/.test(entry);
    if (ours && !kept.has(entry)) rmSync(join(folder, entry), { force: true });
  }
}

export function nextSegmentNumber(folder: string): number {
  const numbers = readdirSync(folder).map((entry) => Number(/^seg-(\d+)\./.exec(entry)?.[1] ?? 0));
  return Math.max(0, ...numbers) + 1;
}
