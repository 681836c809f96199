/**
 * Compares two lists of lines. Invariants: the same lists give the same blocks, whatever the machine (no clock); outside
 * the blocks both lists are equal; work is bounded, and beyond the bound there is no answer.
 */
import { diffArrays } from 'diff';

/** `old[from..to)` was replaced by `now[nowFrom..nowTo)`; counted from 0. Either may be empty, not both. */
export interface ChangedBlock {
  readonly from: number;
  readonly to: number;
  readonly nowFrom: number;
  readonly nowTo: number;
}

/** Lines that may differ in all: what differs more is no longer worth comparing. */
const maxDifferences = 600;

/** In order and apart from each other. Undefined: too different. */
export function changedBlocks(old: readonly string[], now: readonly string[]): readonly ChangedBlock[] | undefined {
  const head = commonHead(old, now);
  const tail = commonTail(old, now, head);
  const a = old.slice(head, old.length - tail);
  const b = now.slice(head, now.length - tail);
  // A list of which nothing is left needs no comparing, however long the other is.
  if (a.length === 0 || b.length === 0)
    return blocksOf(
      [
        { removed: true, added: false, count: a.length },
        { removed: false, added: true, count: b.length },
      ],
      head,
    );
  const changes = diffArrays(a, b, { maxEditLength: maxDifferences });
  return changes && blocksOf(changes, head);
}

interface Run {
  readonly added: boolean;
  readonly removed: boolean;
  readonly count: number;
}

/** Neighbouring runs of what went and what came are one block. */
function blocksOf(runs: readonly Run[], skipped: number): readonly ChangedBlock[] {
  const blocks: ChangedBlock[] = [];
  let [from, nowFrom, to, nowTo] = [skipped, skipped, skipped, skipped];
  const close = () => {
    if (to > from || nowTo > nowFrom) blocks.push({ from, to, nowFrom, nowTo });
  };
  for (const { added, removed, count } of runs) {
    if (removed) to += count;
    else if (added) nowTo += count;
    else {
      close();
      [from, nowFrom] = [to + count, nowTo + count];
      [to, nowTo] = [from, nowFrom];
    }
  }
  close();
  return blocks;
}

/** How many lines are equal from the beginning. */
export function commonHead(a: readonly string[], b: readonly string[]): number {
  const most = Math.min(a.length, b.length);
  let same = 0;
  while (same < most && a[same] === b[same]) same += 1;
  return same;
}

/** How many lines are equal at the end, behind the `head` that are equal from the beginning. */
export function commonTail(a: readonly string[], b: readonly string[], head: number): number {
  const most = Math.min(a.length, b.length) - head;
  let same = 0;
  while (same < most && a[a.length - 1 - same] === b[b.length - 1 - same]) same += 1;
  return same;
}
