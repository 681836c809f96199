/**
 * Does: goes on with a turn that the end of a daemon left open. Calls that had begun get the result that it is not known
 * (I9); those that had not, and what the user was asked, stay as they are. Then the turn waits for its key, says that it
 * goes on, and takes the next step like any other.
 */
import { dueModel, takenUp } from '@zerd/core/session/chosen-model';
import type { SessionState } from '@zerd/core/session/state';
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { SessionId, TurnId } from '@zerd/protocol/common/ids';
import { runCompaction } from '../compact/start-compaction.ts';
import { closeRequest } from '../lost-request.ts';
import type { TurnParts } from '../parts.ts';
import type { Asking } from '../questions/ask-user.ts';
import type { TurnEnd } from '../run-turn.ts';
import { contextOf, summarizerOf } from '../start-turn.ts';
import { lostResults } from '../subagent/lost.ts';
import type { TurnContext } from '../turn-context.ts';
import { createWhenRoom } from '../when-room.ts';
import { closeCalls } from './close-calls.ts';
import { priceIn } from './close-open-turn.ts';
import { findKey } from './find-key.ts';

export interface OpenTurn {
  readonly sessionId: SessionId;
  readonly turnId: TurnId;
}

/** Rejects with the signal's reason when interrupted, with ZerdError when it cannot go on. */
export async function resumeTurn(parts: TurnParts, open: OpenTurn, signal: AbortSignal): Promise<TurnContext> {
  const { windows } = parts;
  const { sessionId, turnId } = open;
  const append = appendTo(parts, sessionId, signal);
  const offered = parts.envOffers.listen();
  const closed = closeBegun(parts, open);
  if (closed.length > 0) await append(closed);
  const asking = askingOf(parts, open, signal, append);
  try {
    for (;;) {
      const { env, model: known } = await findKey(parts, asking, offered);
      const model = await windows.complete(known);
      const summarizer = await summarizerOf(parts, parts.readConfig(), env);
      const changed = changeTo(asking.state(), model.ref);
      if (changed === undefined) continue;
      await append([{ kind: 'turn.resumed', turnId, reason: 'the daemon had ended' }, ...changed]);
      if (changed.length > 0) parts.modelChoices.settled(sessionId);
      return contextOf(parts, { sessionId, turnId, signal, model, summarizer, env });
    }
  } finally {
    offered[Symbol.dispose]();
  }
}

/** What the log says of a model that was chosen while the key was waited for; undefined: another one was chosen since. */
function changeTo(state: SessionState, model: string): readonly SessionEvent[] | undefined {
  if (model === state.model) return [];
  return dueModel(state) === model ? takenUp(state, model) : undefined;
}

/** Also while the disk is full: then it waits, like any turn. */
function appendTo(parts: TurnParts, sessionId: SessionId, signal: AbortSignal): Asking['append'] {
  const whenRoom = createWhenRoom({ ...parts, sessionId, signal });
  return (events) => whenRoom('the session log', () => parts.book.append(sessionId, events));
}

const lostRequest = { code: 'interrupted', message: 'The daemon stopped before the answer was whole.' };

function closeBegun(parts: TurnParts, { sessionId }: OpenTurn): readonly SessionEvent[] {
  const { book, jobs } = parts;
  const state = book.state(sessionId);
  const lost = lostResults(book, sessionId);
  const told = new Set(lost.map((event) => ('callId' in event ? event.callId : undefined)));
  const begun = state.openCalls.filter(({ callId, startedAt }) => startedAt !== undefined && !told.has(callId));
  return [
    ...closeRequest(state, lostRequest, priceIn(parts)),
    ...lost,
    ...closeCalls(begun, (callId) => jobs.jobOfCall(sessionId, callId)),
  ];
}

function askingOf(
  parts: TurnParts,
  { sessionId, turnId }: OpenTurn,
  signal: AbortSignal,
  append: Asking['append'],
): Asking {
  const { book, clock, waits, questions } = parts;
  return { sessionId, turnId, signal, clock, waits, questions, append, state: () => book.state(sessionId) };
}

/** A summary that was asked for and stands already is not made again. */
export async function resumeCompaction(turn: TurnContext): Promise<TurnEnd> {
  const events = turn.events().map(({ event }) => event);
  const began = events.findLastIndex((event) => event.kind === 'turn.started' && event.turnId === turn.turnId);
  if (events.slice(began).some(({ kind }) => kind === 'context.compacted')) return { outcome: 'done' };
  return await runCompaction(turn);
}
