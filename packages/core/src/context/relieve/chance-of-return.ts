/**
 * Says how likely the text of a file is needed again when it is old: the share of the session's own old texts that a later
 * call for the same file came back to. Of each file only the newest text counts; for anything else the chance is 0.
 */
import type { CallFacts } from './protect.ts';

/** What a session is taken for before it has shown how it works: of ten old texts one is needed again. */
const takenFor = { old: 10, again: 1 };

/** For each call the chance that its result is needed again once it is old. `answered`: requests so far. */
export function chancesOfReturn(calls: readonly CallFacts[], answered: number, window: number): readonly number[] {
  const newest = new Map<string, number>();
  const isOld = (index: number | undefined, at: number) =>
    index !== undefined && at - (calls[index]?.request ?? at) > window;
  let { old, again } = takenFor;
  calls.forEach(({ file, use, failed, request }, index) => {
    if (file === undefined || failed) return;
    if (isOld(newest.get(file), request)) {
      old += 1;
      again += 1;
    }
    // An edit shows the text by itself, and what was read before it is no longer the newest.
    if (use === 'read') newest.set(file, index);
    else newest.delete(file);
  });
  const texts = new Set(newest.values());
  for (const index of texts) if (isOld(index, answered)) old += 1;
  return calls.map((_, index) => (texts.has(index) ? again / old : 0));
}
