/**
 * Keeps a few megabytes of the disk, so that what must still be written when it is full (the end of a turn that was
 * interrupted) finds room (F-37). Invariant: it is never in the way: what cannot be made now is made later.
 */
import { closeSync, fsyncSync, openSync, rmSync, statSync, writeSync } from 'node:fs';

export interface Reserve {
  /** Gives the room away. False: it was given away before. */
  release(): boolean;
  /** Takes it back where there is room again; does nothing while it is held. */
  restore(): void;
}

/** Some commits of the log, with what SQLite writes besides. */
const reserveBytes = 2 * 1024 * 1024;

export function openReserve(file: string, bytes = reserveBytes): Reserve {
  let held = false;

  function restore(): void {
    if (held) return;
    try {
      if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) < bytes) fill(file, bytes);
      held = true;
    } catch {
      // Full again, or not writable: whoever writes next says so, and the next commit tries again.
      rmSync(file, { force: true });
    }
  }

  restore();
  return {
    restore,
    release() {
      if (!held) return false;
      held = false;
      rmSync(file, { force: true });
      return true;
    },
  };
}

/** A hole would reserve nothing. */
function fill(file: string, bytes: number): void {
  const fd = openSync(file, 'w', 0o600);
  try {
    const block = Buffer.alloc(256 * 1024, 0xa5);
    for (let done = 0; done < bytes; done += block.length)
      writeSync(fd, block, 0, Math.min(block.length, bytes - done));
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
