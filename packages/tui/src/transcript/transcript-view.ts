/**
 * The window onto a transcript: it follows the end until somebody scrolls up, and then stays where it is whatever comes.
 * Invariants: only what is seen is laid out, so that ten thousand lines above cost nothing; what was laid out and has not
 * changed is not laid out again.
 */
import type { Key } from '../screen/port.ts';
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
  /** Whether the key moves or changes what is seen; `page` rows are a page. */
  take(key: Key, page: number): boolean;
  readonly follows: boolean;
  /** Another size, or colours that have been loaded. */
  layoutAgain(): void;
}

/** Laid-out blocks that are kept beyond what is seen. */
const mostKept = 500;

export function createTranscriptView(transcript: Transcript, now: () => number): TranscriptView {
  const kept = new Map<number, LaidOut>();
  let anchor: Anchor | undefined;
  let thinking = false;
  let allOpen = false;
  let columns = 80;
  let height = 24;

  function rowsOf(index: number): readonly Line[] {
    const block = transcript.blocks[index];
    if (block === undefined) return [];
    const version = transcript.versions[index] ?? 0;
    const before = kept.get(index);
    const runs = block.kind === 'call' && block.outcome === undefined;
    if (before !== undefined && before.version === version && before.columns === columns && !runs) return before.rows;
    const rows = layoutBlock(block, { columns, open: allOpen, thinking, now: now() });
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

  function scroll(by: number): void {
    const next = moved(anchor ?? endAnchor(), by);
    anchor = isAtEnd(next) ? undefined : next;
  }

  /** What is seen stays about where it is in its block, which may have another number of rows now. */
  function fitInto(width: number, rows: number): void {
    const { block, row } = anchor ?? { block: 0, row: 0 };
    const before = anchor === undefined || width === columns ? undefined : rowsOf(block).length;
    columns = width;
    height = rows;
    if (anchor === undefined) return;
    const own = rowsOf(block).length;
    const same = before === undefined ? row : Math.floor((row * own) / Math.max(1, before));
    anchor = { block, row: Math.max(0, Math.min(same, own - 1)) };
    if (isAtEnd(anchor)) toEnd();
  }

  function toEnd(): void {
    anchor = undefined;
  }

  function layoutAgain(): void {
    forget();
    forgetLayouts();
  }

  /** Whether what is seen is another. */
  function changes(name: string): boolean {
    if (name === 'o') allOpen = !allOpen;
    else if (name === 't') thinking = !thinking;
    else if (name !== 'l') return false;
    if (name === 'l') layoutAgain();
    else forget();
    return true;
  }

  return {
    get follows() {
      return anchor === undefined;
    },
    lines(width, rows) {
      fitInto(Math.max(1, width), rows);
      const from = anchor ?? endAnchor();
      const lines: Line[] = [];
      for (let block = from.block; block < transcript.blocks.length && lines.length < rows; block++) {
        const own = rowsOf(block);
        lines.push(...(block === from.block ? own.slice(from.row) : own));
      }
      return lines.slice(0, rows);
    },
    scroll,
    toEnd,
    take({ name, ctrl, shift }, page) {
      if (name === 'pageup') scroll(-page);
      else if (name === 'pagedown') scroll(page);
      else if (shift && (name === 'up' || name === 'down')) scroll(name === 'up' ? -1 : 1);
      else if (ctrl && name === 'home') anchor = { block: 0, row: 0 };
      else if (ctrl && name === 'end') toEnd();
      else return ctrl && changes(name);
      return true;
    },
    layoutAgain,
  };
}
