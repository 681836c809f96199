/**
 * Decides what a running turn does next, from the fold alone: answer the open calls, ask the model, or finish. Every
 * path ends: an answer without calls finishes the turn unless the user said more meanwhile, and the limits of requests and
 * of pauses are checked before asking.
 */
import type { Failure, SessionEvent, StopReason, TurnOutcome } from '@zerd/protocol/common/event';
import { leakedCall } from '../context/remind/leaked-call.ts';
import { remindOfMemory } from '../context/remind/memory.ts';
import { steersOf } from './queue.ts';
import type { OpenCall, QueuedPrompt, RunningTurn, SessionState, TranscriptItem } from './state.ts';

export type NextStep =
  | { readonly kind: 'runTools'; readonly calls: readonly OpenCall[] }
  | { readonly kind: 'callModel' }
  /** What the user said to the turn goes into the conversation; then the model is asked. */
  | { readonly kind: 'submit'; readonly prompts: readonly QueuedPrompt[] }
  /** The model is told something first; then it is asked again. */
  | { readonly kind: 'remind'; readonly reminder: Extract<SessionEvent, { kind: 'reminder.added' }> }
  | { readonly kind: 'finish'; readonly outcome: TurnOutcome; readonly failure?: Failure };

/** A model that pauses more often in a row does not come to an end by itself. */
const maxPauses = 5;

export function nextStep(state: SessionState): NextStep {
  const turn = state.turn;
  if (!turn) return { kind: 'finish', outcome: 'done' };
  if (state.openCalls.length > 0) return { kind: 'runTools', calls: state.openCalls };
  const last = state.items.at(-1);
  if (last?.kind === 'answer' && last.turnId === turn.turnId && !lastsOn(last.stopReason, state.items))
    return ending(state, last);
  if (atLimit(turn)) {
    return failed(
      'limit',
      'limit_reached',
      `The turn reached its limit of requests (${turn.maxRequests}). Continue the session to go on.`,
    );
  }
  // Between the parts of one answer nothing is said.
  if (last?.kind === 'answer') return { kind: 'callModel' };
  const prompts = steersOf(state);
  if (prompts.length > 0) return { kind: 'submit', prompts };
  const reminder = remindOfMemory(state, turn.turnId);
  return reminder === undefined ? { kind: 'callModel' } : { kind: 'remind', reminder };
}

function atLimit({ maxRequests, requests }: RunningTurn): boolean {
  return maxRequests !== undefined && requests >= maxRequests;
}

function lastsOn(stopReason: StopReason, items: readonly TranscriptItem[]): boolean {
  if (stopReason !== 'pause') return false;
  const lastOther = items.findLastIndex((item) => item.kind !== 'answer' || item.stopReason !== 'pause');
  return items.length - 1 - lastOther < maxPauses;
}

/** How a turn ends whose newest answer asked for nothing more. */
function ending(state: SessionState, answer: Extract<TranscriptItem, { kind: 'answer' }>): NextStep {
  switch (answer.stopReason) {
    case 'end':
    case 'toolUse':
    case 'other':
      return endOrRemind(state, answer);
    case 'maxTokens':
      return failed(
        'limit',
        'limit_reached',
        'The answer reached the output limit of the model and is cut. Continue the session to go on.',
      );
    case 'refusal':
      return failed('failed', 'provider_rejected', 'The model refused to answer.');
    case 'contextFull':
      return failed(
        'failed',
        'context_overflow',
        'The answer was cut short: with the conversation it fills the window of the model.',
      );
    case 'pause':
      return failed('failed', 'provider_failed', `The model paused ${maxPauses} times in a row without going on.`);
  }
}

function endOrRemind(state: SessionState, answer: Extract<TranscriptItem, { kind: 'answer' }>): NextStep {
  const leaked = leakedCall(state, answer);
  if (leaked?.kind === 'remind') return leaked;
  if (leaked === undefined) return submitOrFinish(state);
  return failed(
    'failed',
    'provider_malformed',
    `The model's tool calls arrived as text ${leaked.times} times in a row and were not run; all that was done before is kept. Its server does not fit its template: use another server or model.`,
  );
}

/** What comes when the turn may ask no more begins a turn of its own. */
function submitOrFinish(state: SessionState): NextStep {
  const prompts = state.turn === undefined || atLimit(state.turn) ? [] : steersOf(state);
  return prompts.length === 0 ? { kind: 'finish', outcome: 'done' } : { kind: 'submit', prompts };
}

function failed(outcome: TurnOutcome, code: string, message: string): NextStep {
  return { kind: 'finish', outcome, failure: { code, message } };
}
