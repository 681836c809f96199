/**
 * Writes to a job that reads from its pipe of input. Input of a command is /dev/null (F-19): only one that asks for the
 * pipe by its name has another. Invariant: what is said to be written has a reader, as far as the machine can tell.
 */
import { constants, readdirSync, readlinkSync } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { JobWritten } from '../base/job-ports.ts';
import { recordNames } from '../processes/host/orders.ts';
import { membersOf } from '../processes/process-tree.ts';
import { type Tracked, treeOf } from './tracked.ts';

export async function writeInput(tracked: Tracked, text: string): Promise<JobWritten> {
  const path = join(tracked.folder, recordNames.input);
  const pipe = await stat(path).catch(() => undefined);
  if (!pipe?.isFIFO()) return 'takes no input';
  if (process.platform === 'linux' && !membersOf(treeOf(tracked)).some(({ pid }) => hasOpen(pid, path)))
    return 'is not reading';
  // The host holds it open at both ends: this never waits for a reader. A pipe that is full does not take it.
  const handle = await open(path, constants.O_WRONLY | constants.O_NONBLOCK).catch(() => undefined);
  if (handle === undefined) return 'is not reading';
  try {
    await handle.writeFile(text);
    return 'written';
  } catch {
    return 'is not reading';
  } finally {
    await handle.close();
  }
}

function hasOpen(pid: number, path: string): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => {
      try {
        return readlinkSync(`/proc/${pid}/fd/${fd}`) === path;
      } catch {
        return false;
      }
    });
  } catch {
    return false;
  }
}
