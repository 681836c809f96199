/**
 * Lets go of files that whoever started this process had open, as a lock that `flock 200` took: a daemon would hold them
 * for hours, and so would what it starts. Invariant: nothing that this process opened is closed. Linux alone shows which.
 */
import { closeSync, readdirSync, readFileSync } from 'node:fs';

/** Nothing that a program opens for itself, as Node and SQLite do, would be passed on; what was passed on once, is. */
const closesOnExec = 0o2000000;

export function leaveInheritedFiles(): void {
  for (const name of listed('/proc/self/fd')) {
    const fd = Number(name);
    if (fd > 2 && wasInherited(fd)) closeSync(fd);
  }
}

function listed(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function wasInherited(fd: number): boolean {
  try {
    const [, flags] = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8')) ?? [];
    return flags !== undefined && (Number.parseInt(flags, 8) & closesOnExec) === 0;
  } catch {
    // It is the list's own, closed by now.
    return false;
  }
}
