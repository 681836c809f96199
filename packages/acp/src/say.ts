/**
 * Says what the editor's user wrote: as a turn of its own, or, while another client's turn runs, to that one. Invariant: it
 * is answered when the turn that it went into is final, whichever that came to be.
 */
import type { PromptResponse } from '@agentclientprotocol/sdk';
import { isZerdError } from '@zerd/protocol/common/errors';
import type { PromptId, SessionId, TurnId } from '@zerd/protocol/common/ids';
import type { ParamsOf } from '@zerd/protocol/common/methods';
import type { Feed } from '@zerd/protocol/node/follow';
import type { Submissions } from './submissions.ts';
import type { TurnEnds } from './turn-ends.ts';

export interface SayParts {
  readonly feed: () => Pick<Feed, 'request'>;
  readonly sessionId: SessionId;
  readonly ends: Pick<TurnEnds, 'of'>;
  readonly submissions: Pick<Submissions, 'of'>;
  /** Shown to the person. */
  readonly tell: (text: string) => void;
}

type Words = Pick<ParamsOf<'turn/steer'>, 'text' | 'images'>;

/** Turns that begin and end between two looks at them. */
const attempts = 5;

export function sayer({ feed, sessionId, ends, submissions, tell }: SayParts) {
  /** Undefined: a turn runs. */
  async function start(words: Words): Promise<TurnId | undefined> {
    try {
      return (await feed().request('turn/start', { sessionId, ...words })).turnId;
    } catch (error) {
      if (!isZerdError(error) || error.code !== 'turn_running') throw error;
      return undefined;
    }
  }

  /** Undefined: no turn runs any more. */
  async function steer(words: Words): Promise<{ promptId: PromptId; turnId: TurnId } | undefined> {
    const { turnId } = await feed().request('session/read', { sessionId, limit: 1 });
    if (turnId === undefined) return undefined;
    try {
      const { promptId } = await feed().request('turn/steer', { sessionId, expectedTurnId: turnId, ...words });
      return { promptId, turnId };
    } catch (error) {
      if (!isZerdError(error) || error.code !== 'unknown_turn') throw error;
      return undefined;
    }
  }

  async function endOf(promptId: PromptId, turnId: TurnId): Promise<PromptResponse> {
    const end = ends.of(turnId);
    const ended = end.then(
      () => 'ended' as const,
      () => 'ended' as const,
    );
    const into = await Promise.race([submissions.of(promptId), ended]);
    if (into === 'ended') return (await staysWaiting(promptId)) ? await end : await endOfOwn(promptId);
    return into === undefined ? { stopReason: 'cancelled' } : await ends.of(into);
  }

  async function endOfOwn(promptId: PromptId): Promise<PromptResponse> {
    const into = await submissions.of(promptId);
    return into === undefined ? { stopReason: 'cancelled' } : await ends.of(into);
  }

  /** Behind a turn that did not end well nothing begins by itself, and nothing without what it needs. */
  async function staysWaiting(promptId: PromptId): Promise<boolean> {
    const { queue = [], queuePaused, queueNeeds } = await feed().request('session/read', { sessionId, limit: 1 });
    const waits = queuePaused === true && queue.some((prompt) => prompt.promptId === promptId);
    const why = 'The turn did not end well: what was said to it waits, and `zerd say --run-next` goes on with it.';
    if (waits) tell(`${queueNeeds === undefined ? why : `What was said waits. ${queueNeeds.message}`}\n`);
    return waits;
  }

  return async (words: Words): Promise<PromptResponse> => {
    for (let attempt = 1; ; attempt++) {
      const turnId = await start(words);
      if (turnId !== undefined) return await ends.of(turnId);
      const steered = await steer(words);
      if (steered !== undefined) return await endOf(steered.promptId, steered.turnId);
      if (attempt === attempts) throw new Error('Turns begin and end too quickly to be spoken to. Say it again.');
    }
  };
}
