/**
 * Says for each tool result what the rendered transcript shows of it (I5): everything that points at an earlier call
 * asks here, and never a memory of its own. Invariant: it agrees with `render` on the same state.
 */
import type { ToolOutcome } from '@zerd/protocol/common/event';
import type { ArchiveId, CallId } from '@zerd/protocol/common/ids';
import { handedCall } from '../session/handed-call.ts';
import type { SessionState } from '../session/state.ts';

/** `stub`: a trim or a compaction left no more than an excerpt. */
export type Visibility = 'whole' | 'stub';

export interface VisibleResult {
  readonly callId: CallId;
  /** The how many-th call of the session it answers, from 1: what a pointer names it by. */
  readonly number: number;
  readonly name: string;
  readonly inputJson: string;
  readonly outcome: ToolOutcome;
  /** As it was admitted, also when only a stub of it is left. */
  readonly shown: string;
  readonly archiveId: ArchiveId | undefined;
  /** The calls without which `shown` says nothing. */
  readonly leansOn: readonly CallId[];
  readonly result: Visibility;
  /** Of the call's arguments. */
  readonly arguments: Visibility;
}

export type VisibleResults = ReadonlyMap<CallId, VisibleResult>;

/** By call, in the order of the results. */
export function visibleResults(state: SessionState): VisibleResults {
  const calls = callsOf(state);
  const results = new Map<CallId, VisibleResult>();
  for (const item of state.items) {
    if (item.kind === 'message' && item.handed !== undefined) results.set(handedCall, handedText(item.handed));
    if (item.kind !== 'toolResult') continue;
    const call = calls.get(item.callId);
    if (call === undefined) continue;
    const { callId, name, outcome, shown, archiveId, leansOn = [] } = item;
    results.set(callId, {
      ...call,
      callId,
      name,
      outcome,
      shown,
      archiveId,
      leansOn,
      result: state.trims.results.has(callId) ? 'stub' : 'whole',
      arguments: state.trims.inputs.has(callId) ? 'stub' : 'whole',
    });
  }
  return results;
}

/** What a message hands over is shown like the result of a call before all others. */
function handedText(texts: readonly string[]): VisibleResult {
  const text = { name: 'task', inputJson: '{}', outcome: 'ok', shown: texts.join('\n'), archiveId: undefined } as const;
  return { callId: handedCall, number: 0, ...text, leansOn: [], result: 'whole', arguments: 'whole' };
}

/** Whether the words of the call are there in full: its arguments and its result. */
export function isWhole(results: VisibleResults, callId: CallId): boolean {
  const found = results.get(callId);
  return found !== undefined && found.result === 'whole' && found.arguments === 'whole';
}

/** Whether all that the call says is there: its own words and those that they lean on. */
export function isVisible(results: VisibleResults, callId: CallId): boolean {
  return isWhole(results, callId) && (results.get(callId)?.leansOn ?? []).every((base) => isWhole(results, base));
}

/** Those that a compaction replaced are counted and no longer here. */
function callsOf({ items, compactions }: SessionState): ReadonlyMap<CallId, { number: number; inputJson: string }> {
  const calls = new Map<CallId, { number: number; inputJson: string }>();
  for (const item of items) {
    if (item.kind !== 'answer') continue;
    for (const block of item.content) {
      if (block.kind !== 'toolCall' || calls.has(block.callId)) continue;
      calls.set(block.callId, { number: compactions.calls + calls.size + 1, inputJson: block.inputJson });
    }
  }
  return calls;
}
