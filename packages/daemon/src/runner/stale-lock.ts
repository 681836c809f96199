/**
 * Says that git's index has been locked for longer than git takes: one that died left it, and each command that changes
 * the index fails until somebody looks. Invariant: it is told with its age and owner, and never removed (F-48).
 */
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { sayDuration } from '@zerd/core/jobs/say';
import type { Clock } from '@zerd/protocol/node/clock';

/** A commit with its hooks may take as long. */
const usualMs = 60_000;

/** A line of the facts; none: there is no such lock. Where `.git` is no folder nobody looks. */
export async function staleLock(root: string, clock: Clock): Promise<readonly string[]> {
  const found = await lstat(join(root, '.git', 'index.lock')).catch(() => undefined);
  const ageMs = clock.wall() - (found?.mtimeMs ?? clock.wall());
  if (found === undefined || ageMs < usualMs) return [];
  const owner = found.uid === process.getuid?.() ? 'this user' : `user ${found.uid}`;
  return [
    `.git/index.lock of ${owner} is ${sayDuration(ageMs)} old: a git still runs, or died. Do not remove it unasked.`,
  ];
}
