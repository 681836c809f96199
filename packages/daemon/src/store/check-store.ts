/** What `zerd doctor` says of the store: the database, the archive, the room on the disk, and whether it can be written. */
import { readdirSync, statSync } from 'node:fs';
import { access, constants, readdir, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { OpenedStore } from './create-store.ts';
import { codeOf } from './failure.ts';
import { exportLost } from './in-place.ts';
import { databasesIn } from './salvage.ts';

export interface Found {
  readonly ok: boolean;
  readonly says: string;
  readonly todo?: string;
}

/** Damaged predecessors are named as long as they lie there. */
export function checkStore(store: OpenedStore, folder: string): Found {
  const { checked, file, lost, leftBytes } = store.health();
  if (lost !== undefined)
    return {
      ok: false,
      says: `${lost} was deleted or replaced while the daemon worked with it; it keeps nothing more.`,
      todo: exportLost,
    };
  const sessions = store.sessions().length;
  const size = `${megabytes(sizeOf(file))}, ${sessions} ${sessions === 1 ? 'session' : 'sessions'}`;
  if (typeof checked === 'object')
    return {
      ok: false,
      says: `${file} is damaged: ${checked.damage}. The next start of the daemon moves it aside.`,
      todo: 'Write what you need with `zerd export SESSION`, then run `zerdd stop`.',
    };
  if (leftBytes)
    return {
      ok: false,
      says: `Bytes of what was removed are still in ${file}: there was no room to write it anew.`,
      todo: 'Free as much space as it takes, then run `zerdd stop`: the next start writes it anew.',
    };
  const aside = databasesIn(folder, 'zerd.db').filter((one) => one !== file);
  const state = checked === 'sound' ? 'sound' : 'being looked through';
  if (aside.length === 0) return { ok: true, says: `The log is ${state}: ${size}. Every commit is synced.` };
  return {
    ok: false,
    says: `The log is ${state}: ${size}. A damaged one was moved aside: ${aside.join(', ')}.`,
    todo: '`zerd export SESSION` writes what can be read of its sessions. Remove the file when you no longer need it.',
  };
}

/** Counts them; their contents are not read, as an archive may hold gigabytes. */
export function checkArchive(folder: string): Promise<Found> {
  const archive = join(folder, 'archive');
  return usable(archive, () => countBodies(archive));
}

async function countBodies(archive: string): Promise<Found> {
  const shelves = (await readdir(archive)).filter((name) => /^[0-9a-f]{2}$/.test(name));
  let bodies = 0;
  let bytes = 0;
  for (const shelf of shelves) {
    for (const name of readdirSync(join(archive, shelf))) {
      bodies += 1;
      bytes += sizeOf(join(archive, shelf, name));
    }
    // The daemon serves others meanwhile.
    await new Promise((resolve) => setImmediate(resolve));
  }
  await access(archive, constants.W_OK);
  return { ok: true, says: `${bodies} ${bodies === 1 ? 'body' : 'bodies'}, ${megabytes(bytes)}.` };
}

/** Below this a long turn may fill it. */
const leastBytes = 200 * 1024 * 1024;

export function checkDisk(folder: string): Promise<Found> {
  return usable(folder, () => roomIn(folder));
}

async function roomIn(folder: string): Promise<Found> {
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  const says = `${megabytes(free)} free where ${folder} lies.`;
  if (free >= leastBytes) return { ok: true, says };
  return { ok: false, says, todo: 'Free space. When the disk is full turns wait, and go on by themselves.' };
}

/** What the system refuses is told with what to do; anything else is a defect of the check. */
async function usable(folder: string, check: () => Promise<Found>): Promise<Found> {
  try {
    return await check();
  } catch (error) {
    const code = codeOf(error);
    if (code === '') throw error;
    return {
      ok: false,
      says: `${folder} cannot be used (${code}).`,
      todo: `Put it back, or mend its permissions: it must be yours to read and write.`,
    };
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

function megabytes(bytes: number): string {
  return bytes >= 1e9 ? `${(bytes / 1e9).toFixed(1)} GB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
