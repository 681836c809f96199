/**
 * Carries known lines over a change of their file. Invariant: what comes out are lines of the new content that the
 * transcript shows; where a change was not told, no range reaches across it, and all of them are overtaken.
 */
import type { CallId } from '@zerd/protocol/common/ids';
import type { KnownRange } from '../../session/known-files.ts';
import type { ChangedBlock } from '../../text/line-diff.ts';
import { inStep, knownBy, union } from './ranges.ts';

export interface Told {
  /** The call whose result or arguments show the change. */
  readonly by: CallId;
  /** The changed lines are shown whole; an edit may show parts of them. */
  readonly wholeLines: boolean;
}

/** `told` undefined: the transcript does not show the change; else it shows all of the blocks. */
export function carry(
  ranges: readonly KnownRange[],
  blocks: readonly ChangedBlock[],
  told: Told | undefined,
): readonly KnownRange[] {
  const kept = ranges.flatMap((range) => piecesOf(range, blocks, told));
  if (told !== undefined) return [...kept, ...addedLines(ranges, blocks, told)];
  return blocks.length === 0 ? kept : kept.map((range) => ({ ...range, overtaken: true }));
}

/** Whether the block changes known lines, or stands right beside them. */
export function touches({ from, to }: ChangedBlock, { firstLine, lastLine }: KnownRange): boolean {
  return from <= lastLine && to >= firstLine - 1;
}

function piecesOf(range: KnownRange, blocks: readonly ChangedBlock[], told: Told | undefined): KnownRange[] {
  const pieces: KnownRange[] = [];
  // Beside a change that was not told, the lines next to it go too: so two pieces never seem to be in a row.
  const margin = told === undefined ? 1 : 0;
  let [start, shift, besideChange] = [range.firstLine, 0, false];
  const add = (last: number, beside: boolean) => {
    if (last < start) return;
    const by = told !== undefined && beside ? union([range.by, [told.by]]) : range.by;
    pieces.push({ ...range, firstLine: start + shift, lastLine: last + shift, by });
  };
  for (const block of blocks) {
    if (touches(block, range)) {
      add(Math.min(range.lastLine, block.from - margin), true);
      start = Math.max(start, block.to + 1 + margin);
      besideChange = true;
    }
    if (block.from >= range.lastLine) break;
    shift = block.nowTo - block.to;
  }
  add(range.lastLine, besideChange);
  return pieces;
}

function addedLines(ranges: readonly KnownRange[], blocks: readonly ChangedBlock[], told: Told): KnownRange[] {
  return blocks.flatMap((block) => {
    if (block.nowFrom === block.nowTo) return [];
    const lines = { firstLine: block.nowFrom + 1, lastLine: block.nowTo };
    if (told.wholeLines) return [{ ...lines, by: [told.by] }];
    const best = shownBefore(block, inStep(ranges));
    const by = best ?? shownBefore(block, ranges);
    if (by === undefined) return [];
    return [{ ...lines, by: union([by, [told.by]]), ...(best === undefined ? { overtaken: true } : {}) }];
  });
}

/**
 * A line that an edit changed in part is shown by the edit and by whoever showed it before, lines put in by the edit
 * alone. Undefined: by nobody, or nothing beside them is known.
 */
function shownBefore(block: ChangedBlock, ranges: readonly KnownRange[]): readonly CallId[] | undefined {
  const { from, to } = block;
  if (from < to) return knownBy({ firstLine: from + 1, lastLine: to }, ranges);
  return ranges.some((range) => touches(block, range)) ? [] : undefined;
}
