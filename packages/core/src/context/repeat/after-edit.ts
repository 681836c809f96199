/**
 * Decides what the transcript shows of a file after an own edit: what it showed before, plus the edit (its own edits
 * count as seen). What changed behind its back in between is not among it.
 */
import type { ShownLines } from '@zerd/protocol/common/event';
import type { CallId } from '@zerd/protocol/common/ids';
import type { KnownCopy, KnownRange } from '../../session/known-files.ts';
import type { SessionState } from '../../session/state.ts';
import { changedBlocks } from '../../text/line-diff.ts';
import type { VisibleResults } from '../visible.ts';
import { carry } from './carry.ts';
import type { Bases } from './facts.ts';
import { knownCopies, readsOf, visibleRanges } from './known.ts';

export interface EditFacts {
  readonly path: string;
  readonly before: { readonly hash: string; readonly text: readonly string[] };
  readonly after: { readonly hash: string; readonly text: readonly string[] };
}

export function readsAfterEdit(
  {
    state,
    visible,
    callId,
    bases,
  }: {
    readonly state: SessionState;
    readonly visible: VisibleResults;
    readonly callId: CallId;
    readonly bases: Bases;
  },
  edit: EditFacts,
): readonly ShownLines[] {
  const { path, before, after } = edit;
  const edited = changedBlocks(before.text, after.text);
  if (edited === undefined) return [];
  const copies = knownCopies(state, path).map((copy) => atEdit(copy, visibleRanges(copy, visible), before, bases));
  const known = copies.find((ranges) => ranges.length > 0) ?? [];
  const ranges = carry(known, edited, { by: callId, wholeLines: false });
  return readsOf({ path, hash: after.hash, lines: after.text.length }, ranges, callId);
}

/** The known lines of the file as the edit found it. */
function atEdit(
  copy: KnownCopy,
  ranges: readonly KnownRange[],
  before: EditFacts['before'],
  bases: Bases,
): readonly KnownRange[] {
  if (copy.hash === before.hash) return ranges;
  const base = bases.get(copy.hash);
  const blocks = base && changedBlocks(base, before.text);
  return blocks === undefined ? [] : carry(ranges, blocks, undefined);
}
