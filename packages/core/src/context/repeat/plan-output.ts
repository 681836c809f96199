/**
 * Decides what of a result the model has to be sent when it is no known part of a file: a pointer to an equal result, a
 * diff against the last run of the same call, or the result with its long known runs left out. Invariant (I5): what a
 * text leans on is visible whole.
 */
import type { CallId } from '@zerd/protocol/common/ids';
import { changedBlocks } from '../../text/line-diff.ts';
import { utf8Length } from '../../text/utf8.ts';
import { isVisible, type VisibleResult } from '../visible.ts';
import { type Admission, leastWorth } from './facts.ts';
import { callsText, isOutputChanged, outputChanged, sameResult, shownLines } from './pointer.ts';
import { findRuns } from './runs.ts';
import { applyHunks, unifiedHunks } from './unified.ts';

export interface OutputPlan {
  readonly text: string;
  readonly leansOn: readonly CallId[];
}

/** The result that shows the same, itself or by what it leans on; undefined: none. */
export function equalResult(admission: Admission): VisibleResult | undefined {
  const visible = othersOf(admission);
  return (
    visible.findLast((other) => standsAlone(other) && other.shown === admission.shown) ?? visible.findLast(repeats)
  );

  function repeats(other: VisibleResult): boolean {
    const { archiveId, name, outcome } = admission;
    if (standsAlone(other) || archiveId === undefined || other.archiveId !== archiveId) return false;
    return other.name === name && other.outcome === outcome && sameInput(other.inputJson, admission.inputJson);
  }
}

export function pointToEqual(admission: Admission, equal: VisibleResult): OutputPlan | undefined {
  const { visible, archiveId = '' } = admission;
  const pointer = sameResult(callsText(visible, [equal.callId]), archiveId);
  return shorter(admission, withHead(admission, [pointer]), [equal.callId, ...equal.leansOn], 1);
}

const rerun: ReadonlySet<string> = new Set(['shell', 'search', 'find']);

/** Worth reading only where it is clearly shorter. */
const diffShare = 0.75;

/** Results that a diff may need: whoever reads it has to put them together. */
const maxChain = 6;

/** Against the last run, itself perhaps a diff; else against the newest run that was shown whole. */
export function diffOfRerun(admission: Admission): OutputPlan | undefined {
  const { name, inputJson } = admission;
  if (!rerun.has(name)) return undefined;
  const runs = othersOf(admission).filter((other) => other.name === name && sameInput(other.inputJson, inputJson));
  const last = runs.findLast((run) => run.leansOn.length < maxChain && linesOfRun(admission, run) !== undefined);
  const whole = runs.findLast(standsAlone);
  return diffAgainst(admission, last) ?? (whole === last ? undefined : diffAgainst(admission, whole));
}

function diffAgainst(admission: Admission, run: VisibleResult | undefined): OutputPlan | undefined {
  const old = run && linesOfRun(admission, run);
  if (run === undefined || old === undefined || utf8Length(old.join('\n')) < leastWorth) return undefined;
  const now = admission.shown.split('\n');
  const blocks = changedBlocks(old, now);
  if (blocks === undefined || blocks.length === 0) return undefined;
  const header = outputChanged(callsText(admission.visible, [run.callId]), admission.archiveId ?? '');
  const text = withHead(admission, [header, ...unifiedHunks(old, now, blocks, 1)]);
  return shorter(admission, text, [run.callId, ...run.leansOn], diffShare);
}

/** The lines that a run stands for: its own, or those that its diff makes of an earlier one's. */
function linesOfRun(admission: Admission, run: VisibleResult): readonly string[] | undefined {
  const lines = run.shown.split('\n');
  if (standsAlone(run)) return lines;
  const header = lines.slice(0, 2).findIndex(isOutputChanged);
  const base = admission.visible.get(run.leansOn[0] ?? run.callId);
  if (header < 0 || base === undefined || base.callId === run.callId) return undefined;
  const old = linesOfRun(admission, base);
  return old && applyHunks(old, lines.slice(header + 1));
}

export function withoutRuns(admission: Admission): OutputPlan | undefined {
  const { shown, head, visible, archiveId = '' } = admission;
  const lines = (head === undefined ? shown : shown.slice(shown.indexOf('\n') + 1)).split('\n');
  const others = new Map(othersOf(admission).map((other) => [other.callId, other]));
  const runs = findRuns(lines, others);
  if (runs.length === 0) return undefined;
  const kept: string[] = [];
  let at = 0;
  for (const { from, to, callId } of runs) {
    const first = lines.slice(from, to).find((line) => line.trim() !== '') ?? '';
    kept.push(...lines.slice(at, from), shownLines(to - from, callsText(visible, [callId]), first, archiveId));
    at = to;
  }
  const text = withHead(admission, [...kept, ...lines.slice(at)]);
  return shorter(admission, text, [...new Set(runs.map(({ callId }) => callId))], 1);
}

function othersOf({ visible, callId }: Admission): readonly VisibleResult[] {
  return [...visible.values()].filter((other) => other.callId !== callId && isVisible(visible, other.callId));
}

function standsAlone({ leansOn }: VisibleResult): boolean {
  return leansOn.length === 0;
}

/** The same arguments, however they are spaced. */
function sameInput(a: string, b: string): boolean {
  return a === b || compact(a) === compact(b);
}

function compact(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json));
  } catch {
    return json;
  }
}

function withHead({ head }: Admission, lines: readonly string[]): string {
  return (head === undefined ? lines : [head, ...lines]).join('\n');
}

function shorter(
  { shown }: Admission,
  text: string,
  leansOn: readonly CallId[],
  share: number,
): OutputPlan | undefined {
  const bytes = utf8Length(shown);
  return bytes >= leastWorth && utf8Length(text) < bytes * share ? { text, leansOn } : undefined;
}
