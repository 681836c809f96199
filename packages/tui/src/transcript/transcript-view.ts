/**
 * The window onto a transcript: it follows the end until somebody scrolls up, and then stays where it is whatever comes.
 * Invariants: only what is seen is laid out, so that ten thousand lines above cost nothing; what was laid out and has not
 * changed is not laid out again.
 */
import type { Line } from '../text/style.ts';
import type { Transcript } from './blocks.ts';
import { forgetLayouts, layoutBlock } from './layout.ts';

/** The first row that is seen: a row of a block. */
interface Anchor {
  readonly block: number;
  readonly row: number;
}

interface LaidOut {
  readonly version: number;
  readonly columns: number;
  readonly rows: readonly Line[];
}

export interface TranscriptView {
  lines(columns: number, rows: number): readonly Line[];
  /** Down for more than 0. */
  scroll(by: number): void;
  toEnd(): void;
  toStart(): void;
  readonly follows: boolean;
  /** Opens or folds every call; without `all` only the newest that is seen. */
  toggle(all: boolean): void;
  toggleThinking(): void;
  /** Another size, or colours that have been loaded. */
  layoutAgain(): void;
}

/** Laid-out blocks that are kept beyond what is seen. */
const mostKept = 500;

export function createTranscriptView(transcript: Transcript, now: () => number): TranscriptView {
  const kept = new Map<number, LaidOut>();
  const open = new Set<number>();
  let anchor: Anchor | undefined;
  let thinking = false;
  let allOpen = false;
  let columns = 80;
  let height = 24;
  let seen: readonly number[] = [];

  function rowsOf(index: number): readonly Line[] {
    const block = transcript.blocks[index];
    if (block === undefined) return [];
    const version = transcript.versions[index] ?? 0;
    const before = kept.get(index);
    const runs = block.kind === 'call' && block.outcome === undefined;
    if (before !== undefined && before.version === version && before.columns === columns && !runs) return before.rows;
    const rows = layoutBlock(block, { columns, open: allOpen || open.has(index), thinking, now: now() });
    kept.set(index, { version, columns, rows });
    if (kept.size > mostKept) forgetFar(index);
    return rows;
  }

  function forgetFar(index: number): void {
    for (const other of kept.keys()) if (Math.abs(other - index) > mostKept / 2) kept.delete(other);
  }

  /** Where the window begins when it shows the end. */
  function endAnchor(): Anchor {
    let left = height;
    for (let block = transcript.blocks.length - 1; block >= 0; block--) {
      left -= rowsOf(block).length;
      if (left <= 0) return { block, row: -left };
    }
    return { block: 0, row: 0 };
  }

  function moved(from: Anchor, by: number): Anchor {
    let { block, row } = from;
    row += by;
    while (row < 0 && block > 0) {
      block -= 1;
      row += rowsOf(block).length;
    }
    while (row >= rowsOf(block).length && block < transcript.blocks.length - 1) {
      row -= rowsOf(block).length;
      block += 1;
    }
    return { block, row: Math.max(0, row) };
  }

  function isAtEnd({ block, row }: Anchor): boolean {
    const end = endAnchor();
    return block > end.block || (block === end.block && row >= end.row);
  }

  function forget(): void {
    kept.clear();
  }

  return {
    get follows() {
      return anchor === undefined;
    },
    lines(width, rows) {
      columns = Math.max(1, width);
      height = rows;
      const from = anchor ?? endAnchor();
      const lines: Line[] = [];
      const blocks: number[] = [];
      for (let block = from.block; block < transcript.blocks.length && lines.length < rows; block++) {
        const own = rowsOf(block);
        lines.push(...(block === from.block ? own.slice(from.row) : own));
        blocks.push(block);
      }
      seen = blocks;
      return lines.slice(0, rows);
    },
    scroll(by) {
      const next = moved(anchor ?? endAnchor(), by);
      anchor = by > 0 && isAtEnd(next) ? undefined : next;
    },
    toEnd() {
      anchor = undefined;
    },
    toStart() {
      anchor = { block: 0, row: 0 };
    },
    toggle(all) {
      if (all) allOpen = !allOpen;
      else {
        const newest = seen.findLast((index) => transcript.blocks[index]?.kind === 'call');
        if (newest !== undefined) open.has(newest) ? open.delete(newest) : open.add(newest);
      }
      forget();
    },
    toggleThinking() {
      thinking = !thinking;
      forget();
    },
    layoutAgain() {
      forget();
      forgetLayouts();
    },
  };
}
