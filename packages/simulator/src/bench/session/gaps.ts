/**
 * How long before each answer of a turn, by the recorded requests: what lies between the request played before and this
 * one, requests without calls included. Where no requests were recorded, by the calls' own gaps. No gap counts twice.
 */
import type { RecordedPrompt, RecordedSession } from './recorded.ts';

/** The requests of a turn: [from, to). */
export interface TurnRequests {
  readonly from: number;
  readonly to: number;
  /** The user was silent before it. */
  readonly idleMs: number;
}

export function promptGaps(prompts: readonly RecordedPrompt[], turn: number): TurnRequests {
  const prompt = prompts[turn];
  const from = turn === 0 ? 0 : (prompt?.beforeRequest ?? 0);
  return { from, to: prompts[turn + 1]?.beforeRequest ?? Number.POSITIVE_INFINITY, idleMs: prompt?.idleMs ?? 0 };
}

/** Milliseconds before the answer with each group of calls, and last before the answer that ends the turn. */
export function stepGaps(
  session: Pick<RecordedSession, 'requests' | 'calls'>,
  groups: readonly (readonly number[])[],
  turn: TurnRequests,
): readonly number[] {
  const firsts = groups.map((group) => session.calls[group[0] ?? 0]);
  if (session.requests.length === 0) {
    return [...firsts.map((call, i) => Math.max(call?.gapMs ?? 0, i === 0 ? turn.idleMs : 0)), 0];
  }
  let from = turn.from;
  const upTo = (end: number) => {
    const sum = session.requests
      .filter(({ request }) => request >= from && request < end)
      .reduce((total, { gapMs }) => total + gapMs, 0);
    from = Math.max(from, end);
    return sum;
  };
  return [...firsts.map((call) => upTo((call?.request ?? from - 1) + 1)), upTo(turn.to)];
}
