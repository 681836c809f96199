/**
 * Decides what has to be written so that the screen shows the next frame: rows that differ, after what only moved was
 * moved by the terminal itself. Pure. Invariant: applied to the old rows, it gives the new ones.
 */

export interface Scroll {
  /** Rows `top` to `bottom`, from 0, both included, move up by `by`. */
  readonly top: number;
  readonly bottom: number;
  readonly by: number;
}

export interface RowChanges {
  readonly scroll: Scroll | undefined;
  /** By row; what was scrolled in included. */
  readonly rows: readonly { readonly row: number; readonly text: string }[];
}

/** Fewer rows are as cheaply written. */
const leastMoved = 3;

export function diffRows(old: readonly string[], now: readonly string[]): RowChanges {
  const scroll = old.length === now.length ? findScroll(old, now) : undefined;
  const moved = scroll === undefined ? old : scrolled(old, scroll);
  const rows = now.flatMap((text, row) => (moved[row] === text ? [] : [{ row, text }]));
  return { scroll, rows };
}

/** The largest part of the screen that is found again further up. */
function findScroll(old: readonly string[], now: readonly string[]): Scroll | undefined {
  const first = now.findIndex((text, row) => text !== old[row]);
  if (first < 0) return undefined;
  const last = now.findLastIndex((text, row) => text !== old[row]);
  let best: { scroll: Scroll; saved: number } | undefined;
  const most = Math.min(last - first, 60);
  for (let by = 1; by <= most; by++) {
    const saved = savedBy(old, now, { top: first, bottom: last, by });
    if (saved >= leastMoved && saved > (best?.saved ?? 0)) best = { scroll: { top: first, bottom: last, by }, saved };
  }
  return best?.scroll;
}

/** Rows that need not be written, less those that stood right and move away. */
function savedBy(old: readonly string[], now: readonly string[], { top, bottom, by }: Scroll): number {
  let saved = 0;
  for (let row = top; row <= bottom; row++) {
    const moved = row + by <= bottom ? old[row + by] : '';
    if (moved === now[row]) saved += 1;
    if (old[row] === now[row]) saved -= 1;
  }
  return saved;
}

export function scrolled(rows: readonly string[], { top, bottom, by }: Scroll): readonly string[] {
  return rows.map((text, row) => {
    if (row < top || row > bottom) return text;
    return row + by <= bottom ? (rows[row + by] ?? '') : '';
  });
}
