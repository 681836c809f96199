/**
 * How many bytes of a result the model sees, by tool. Starting values: 1 kB is 1,000 bytes, and a cap holds for
 * everything but the head line.
 */

export interface Caps {
  /** One line of a result; in a search the part around the match. */
  readonly line: number;
  readonly shell: number;
  readonly failingShell: number;
  readonly search: number;
  readonly read: number;
  readonly other: number;
}

export const defaultCaps: Caps = Object.freeze({
  line: 500,
  shell: 4_000,
  failingShell: 8_000,
  search: 4_000,
  read: 16_000,
  other: 4_000,
});

export function capOf(caps: Caps, tool: string, failed: boolean): number {
  if (tool === 'shell') return failed ? caps.failingShell : caps.shell;
  if (tool === 'search') return caps.search;
  // A recall was asked for by range: it answers like a read and pages by itself. A skill is read to be followed, and what
  // a sub-agent says is all that comes of its work.
  if (tool === 'read' || tool === 'recall' || tool === 'skill' || tool === 'task') return caps.read;
  return caps.other;
}
