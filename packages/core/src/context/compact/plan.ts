/**
 * Decides how a session is compacted: what is replaced, how much the kept facts may take, and whether the model is asked
 * behind the prompt that its provider holds. A floor that leaves no room is told before anything is sent.
 */

import { notesText } from '../../memory/tell-memory.ts';
import type { SessionState } from '../../session/state.ts';
import { utf8Length } from '../../text/utf8.ts';
import type { RelievedModel } from '../relieve/planner-model.ts';
import { viewSession } from '../relieve/session-view.ts';
import type { PlannerView, RequestLoad } from '../relieve/view.ts';
import { denseBytes, factsBytes, leastFactsBytes } from './budget.ts';
import { type CutPoint, cutPoint, keptSteps } from './cut-point.ts';

export interface CompactionPlan {
  readonly kind: 'compact';
  readonly cut: CutPoint;
  /** What the machine's part may take. */
  readonly bytes: number;
  /** Tokens of the next prompt as it is, and of what stays beside the new summary. */
  readonly prompt: number;
  readonly stays: number;
  /** The provider is believed to hold the prompt: asking behind it is cheap. */
  readonly warm: boolean;
}

export type CompactionDecision =
  | CompactionPlan
  /** There is nothing that could be replaced, or less than a summary takes. */
  | { readonly kind: 'nothing' }
  /** What no summary takes away leaves no room for one. Tokens. */
  | { readonly kind: 'noRoom'; readonly floor: number; readonly ceiling: number };

export interface CompactionMoment {
  readonly model: RelievedModel;
  /** Milliseconds of the epoch. */
  readonly now: number;
  /** The provider refused the prompt: it takes less than was believed. */
  readonly overflow: boolean;
  /** Nothing stays, the newest answer included: it was cut by the window itself. */
  readonly all: boolean;
  /** Bytes of all messages of the user so far. */
  readonly messages: number;
}

/** What the model's own words are expected to take, in tokens. */
export const proseTokens = 700;
/** A summary would take more. An earlier summary counts among what it replaces only where there is no room otherwise. */
const leastReplaced = 1_500;

export function planCompaction(
  state: SessionState,
  { model, now, overflow, all, messages }: CompactionMoment,
): CompactionDecision {
  const { view } = viewSession(state, { model, now, window: 1, compacts: true });
  const prompt = promptOf(view);
  const ceiling = overflow ? Math.min(model.ceiling, 0.9 * prompt) : model.ceiling;
  const warm = !overflow && view.read > 0 && model.cache.kind !== 'none';
  const steps = model.bindsReasoning || all ? [0] : keptSteps;
  const ways = steps.map((keep) => ({ cut: cutPoint(state, keep), stays: staying(view, keep) }));
  const old = overflow || all || prompt > ceiling ? 0 : view.digest;
  const memory = memoryBytes(state);
  const least = leastReplaced + memory / denseBytes;
  const possible = ways.filter(({ cut, stays }) => cut.throughSeq > 0 && prompt - stays - old >= least);
  const [last] = possible.slice(-1);
  if (last === undefined) return { kind: 'nothing' };
  // Half of the target is for the summary, where less can stay.
  const way = possible.find(({ stays }) => stays - view.fixed <= (ceiling / 2 - view.fixed) / 2) ?? last;
  // Notes and the list of steps are told again in any case.
  const beside = proseTokens + memory / denseBytes;
  const taken = way.stays + beside;
  const bytes = factsBytes({ ceiling, taken, replaced: prompt - way.stays - beside, messages });
  // Sizes are estimates: where more than half of the ceiling is free, a little is kept in any case.
  if (bytes < leastFactsBytes && way.stays > ceiling / 2)
    return { kind: 'noRoom', floor: Math.round(way.stays), ceiling: Math.round(ceiling) };
  return {
    kind: 'compact',
    cut: way.cut,
    bytes: Math.max(bytes, leastFactsBytes) + memory,
    prompt,
    stays: way.stays,
    warm,
  };
}

function memoryBytes({ memory }: SessionState): number {
  return utf8Length(notesText(memory)) + utf8Length(memory.todo);
}

function promptOf(view: PlannerView): number {
  return view.requests.reduce((sum, request) => sum + sizeOf(request), view.fixed + view.digest + view.before);
}

/** The fixed part, the requests that stay, and what has not been sent yet. */
function staying(view: PlannerView, keep: number): number {
  const kept = keep === 0 ? [] : view.requests.slice(-keep);
  return kept.reduce((sum, request) => sum + sizeOf(request), view.fixed + view.before);
}

function sizeOf({ before, answer, calls }: RequestLoad): number {
  return calls.reduce((sum, call) => sum + call.input + call.result, before + answer);
}
