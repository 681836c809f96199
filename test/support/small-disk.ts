/** A file system of a few megabytes that a test can fill up. Mounting takes a privilege that not every machine grants. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface SmallDisk {
  readonly folder: string;
  /** Leaves so many bytes free. */
  fillUp(free?: number): void;
  makeRoom(): void;
  unmount(): void;
}

/** Undefined: nothing can be mounted here. `at`: an empty folder in place of one of its own. */
export function openSmallDisk(megabytes: number, at?: string): SmallDisk | undefined {
  const folder = at ?? mkdtempSync(join(tmpdir(), 'zerd-disk-'));
  const filler = join(folder, 'filler');
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    if (at === undefined) rmSync(folder, { recursive: true });
    return undefined;
  }
  return {
    folder,
    fillUp(free = 0) {
      const { bavail, bsize } = statfsSync(folder);
      try {
        writeFileSync(filler, Buffer.alloc(Math.max(0, bavail * bsize - free)));
      } catch (error) {
        // Whoever else writes meanwhile has the last of it: the disk is full all the same.
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      }
    },
    makeRoom: () => rmSync(filler, { force: true }),
    unmount() {
      execFileSync('umount', ['-l', folder]);
      if (at === undefined) rmSync(folder, { recursive: true });
    },
  };
}
