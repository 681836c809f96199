/**
 * A mark that a command cannot take off by clearing its environment (`env -i`), leaving its session or losing its parent:
 * a file without a name that it and all it starts have open. Invariant: nobody who was not started by it has that file
 * open, since it cannot be opened any more.
 */
import { closeSync, openSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Scripts use the descriptors up to 9 as they like, and shells choose free ones from 10 on. Node passes none up to 15 on:
 * a daemon of zerd that a command starts, with an environment of its own, is nobody's job.
 */
export const heldAt = 15;

export interface HeldFile {
  readonly fd: number;
  /** As `/proc/<pid>/fd` shows it. */
  readonly link: string;
  close(): void;
}

/** Undefined: it cannot be seen here. Throws where it cannot be made. */
export function openHeldFile(folder: string): HeldFile | undefined {
  if (process.platform !== 'linux') return undefined;
  const path = join(folder, 'held');
  const fd = openSync(path, 'wx+', 0o600);
  rmSync(path);
  return { fd, link: readlinkSync(`/proc/self/fd/${fd}`), close: () => closeSync(fd) };
}
