/**
 * Decides what of an admitted result is news to the model (I5) and what the log records about it. Invariants: equal
 * log, equal decision; the text is never longer than the result itself, one line of counting aside; an error of a tool
 * and a small result are shown as they are.
 */
import type { KnownRange } from '../../session/known-files.ts';
import type { Admission, Decision, ReadFacts } from './facts.ts';
import { readsOf } from './known.ts';
import { countNothingNew, tellAfter } from './nothing-new.ts';
import { diffOfRerun, equalResult, type OutputPlan, pointToEqual, withoutRuns } from './plan-output.ts';
import { planRead, type ReadPlan } from './plan-read.ts';
import { nothingNewLine } from './pointer.ts';
import { linesShown } from './shown-lines.ts';

export function decideRepeat(admission: Admission): Decision {
  if (!mayRepeat(admission) || isForgotten(admission)) return shownWhole(admission, undefined);
  const { read } = admission;
  const plan = read === undefined ? undefined : planRead(admission, read);
  const equal = equalResult(admission);
  const nothingNew = countNothingNew(admission, plan?.nothingNew ?? false, equal);
  const decision = choose(admission, plan, equal);
  const tells = nothingNew !== undefined && nothingNew.times >= tellAfter;
  const shown = tells
    ? `${withoutEnd(decision.shown)}\n${nothingNewLine(nothingNew.times, nothingNew.of)}`
    : decision.shown;
  return { ...decision, shown, ...(nothingNew === undefined ? {} : { nothingNew }) };
}

/** For a result that is shown whole whatever is visible: it still counts as a read. */
export function decideWhole(admission: Admission): Decision {
  return shownWhole(admission, undefined);
}

/**
 * What changes files answers in a line; a failed command is an output like another. Sub-agents answer in any order, and
 * "above" would be wrong of a sister's words.
 */
function mayRepeat({ name, outcome }: Admission): boolean {
  if (name === 'write' || name === 'edit' || name === 'task') return false;
  return outcome === 'ok' || (name === 'shell' && outcome === 'failed');
}

/** A file that was written anew is shown as it now is, once (P020). */
function isForgotten({ state, read }: Admission): boolean {
  const known = read && state.known.get(read.path);
  return known !== undefined && known.now === undefined;
}

function choose(admission: Admission, plan: ReadPlan | undefined, equal: ReturnType<typeof equalResult>): Decision {
  const { read } = admission;
  const isPointer = plan?.nothingNew === true && plan.text !== undefined;
  if (read !== undefined && isPointer) return planned(admission, read, plan);
  const pointer = equal && pointToEqual(admission, equal);
  if (pointer) return leaning(admission, pointer, plan?.without ?? []);
  if (read !== undefined && plan?.text !== undefined) return planned(admission, read, plan);
  const diff = plan?.nothingNew ? undefined : diffOfRerun(admission);
  if (diff) return leaning(admission, diff, plan?.without ?? []);
  const fewer = withoutRuns(admission);
  if (fewer) return leaning(admission, fewer, rangesShown(admission, fewer.text, plan));
  return shownWhole(admission, plan);
}

function planned(admission: Admission, read: ReadFacts, plan: ReadPlan): Decision {
  const shown = plan.text ?? admission.shown;
  return { shown, leansOn: [...plan.leansOn], ...recorded(admission, read, plan.ranges) };
}

function leaning(admission: Admission, plan: OutputPlan, ranges: readonly KnownRange[]): Decision {
  return { shown: plan.text, leansOn: [...plan.leansOn], ...recorded(admission, admission.read, ranges) };
}

function shownWhole(admission: Admission, plan: ReadPlan | undefined): Decision {
  const { shown, read } = admission;
  return { shown, ...recorded(admission, read, rangesShown(admission, shown, plan)) };
}

function rangesShown(admission: Admission, text: string, plan: ReadPlan | undefined): readonly KnownRange[] {
  const { read, head, callId } = admission;
  if (read === undefined) return [];
  const here = linesShown(text, read.rows, read.first, head).map((range) => ({ ...range, by: [callId] }));
  return [...(plan?.without ?? []), ...here];
}

function recorded({ callId }: Admission, read: ReadFacts | undefined, ranges: readonly KnownRange[]) {
  const reads = read === undefined ? [] : readsOf(read, ranges, callId);
  return reads.length === 0 ? {} : { reads };
}

function withoutEnd(text: string): string {
  return text.endsWith('\n') ? text.slice(0, -1) : text;
}
