/**
 * A conversation that a script holds: what it wants is done in its order, and it is over when the script has nothing more
 * to say and nothing of it runs or waits. Invariant: that is the daemon's to say, never guessed from a connection.
 */
import { isZerdError, ZerdError } from '@zerd/protocol/common/errors';
import type { TurnOutcome } from '@zerd/protocol/common/event';
import type { SessionId } from '@zerd/protocol/common/ids';
import type { Needs } from '@zerd/protocol/common/work-events';
import type { EventNotice, Feed } from '@zerd/protocol/node/follow';
import { given } from '../given.ts';
import { pendingOf } from '../present/pending.ts';
import type { DriveWish } from './drive-input.ts';

export interface ConversationWish {
  readonly feed: Pick<Feed, 'request'>;
  readonly sessionId: SessionId;
  readonly after: number;
  /** Of every turn that begins here. */
  readonly turns: { readonly maxRequests?: number; readonly model?: string; readonly trust?: boolean };
}

/** quiet: nothing runs or waits; asks: somebody must answer; paused: prompts wait for a word of the user. */
export type Rest = 'quiet' | 'asks' | 'paused';

/** Why prompts wait, and what goes on with them. */
export function whyPaused(needs: Needs | undefined, goOn: string): string {
  return needs?.message ?? `The last turn did not end well: ${goOn} goes on.`;
}

export interface Conversation {
  observe(notice: EventNotice): void;
  /** Something changed that is no event of the session: it is looked at anew. */
  stir(): void;
  /** Settles when the daemon has it; rejects with ZerdError. */
  perform(wish: DriveWish): Promise<void>;
  /** Settles when nothing more happens by itself; with `answers`, somebody else answers what is asked. */
  rest(answers?: 'answers'): Promise<Rest>;
  lose(error: unknown): void;
  /** What the next prompt needed when it was last looked at. */
  readonly needs: Needs | undefined;
  /** Of the newest turn that ended here; undefined: none did. */
  readonly outcome: TurnOutcome | undefined;
}

export function createConversation({ feed, sessionId, after, turns }: ConversationWish): Conversation {
  let seen = after;
  let outcome: TurnOutcome | undefined;
  let needs: Needs | undefined;
  let lost: { readonly error: unknown } | undefined;
  let wake = () => {};

  const look = () => feed.request('session/read', { sessionId, limit: 1 });
  const queue = async (text: string) => void (await feed.request('turn/queue', { sessionId, text, ...turns }));

  async function say(text: string): Promise<void> {
    try {
      await feed.request('turn/start', { sessionId, text, ...turns });
    } catch (error) {
      if (!isZerdError(error) || error.code !== 'turn_running') throw error;
      await queue(text);
    }
  }

  async function steer(text: string): Promise<void> {
    const { turnId } = await look();
    if (turnId === undefined) return say(text);
    try {
      await feed.request('turn/steer', { sessionId, expectedTurnId: turnId, text, ...given({ trust: turns.trust }) });
    } catch (error) {
      // That turn has ended meanwhile.
      if (!isZerdError(error) || error.code !== 'unknown_turn') throw error;
      await say(text);
    }
  }

  async function answer(wish: Extract<DriveWish, { kind: 'approval' | 'question' }>): Promise<void> {
    const id = wish.kind === 'approval' ? wish.approvalId : wish.questionId;
    const pending = pendingOf(sessionId, await look()).find((one) => one.id === id);
    if (pending === undefined)
      throw new ZerdError('already_resolved', `${id} is not asked here, or was answered. Nothing was sent.`);
    const at = { sessionId: pending.sessionId };
    if (wish.kind === 'question' && pending.kind === 'question')
      await feed.request('question/answer', { ...at, questionId: pending.id, answer: wish.answer });
    if (wish.kind === 'approval' && pending.kind === 'approval') {
      const { decision, reason } = wish;
      const { digest } = pending;
      await feed.request('approval/answer', { ...at, approvalId: pending.id, digest, decision, ...given({ reason }) });
    }
  }

  /** Undefined: something happens yet, or what happened has not been told. */
  async function restOf(): Promise<Rest | undefined> {
    const read = await look();
    const { queue: waiting = [], queuePaused = false, session } = read;
    needs = read.queueNeeds;
    if (session.lastSeq > seen) return undefined;
    if (session.state === 'waiting' || pendingOf(sessionId, read).length > 0) return 'asks';
    if (session.state === 'running') return undefined;
    if (waiting.length === 0) return 'quiet';
    return queuePaused ? 'paused' : undefined;
  }

  return {
    observe({ seq, event }) {
      seen = seq;
      if (event.kind === 'turn.finished') outcome = event.outcome;
      wake();
    },
    stir: () => wake(),
    async perform(wish) {
      switch (wish.kind) {
        case 'say':
          return await say(wish.text);
        case 'steer':
          return await steer(wish.text);
        case 'queue':
          return await queue(wish.text);
        case 'interrupt':
          return void (await feed.request('turn/interrupt', { sessionId }));
        default:
          return await answer(wish);
      }
    },
    async rest(answers) {
      for (;;) {
        const happens = new Promise<void>((resolve) => {
          wake = resolve;
        });
        if (lost !== undefined) throw lost.error;
        const rest = await restOf();
        if (rest !== undefined && !(rest === 'asks' && answers === 'answers')) return rest;
        await happens;
      }
    },
    lose(error) {
      lost = { error };
      wake();
    },
    get needs() {
      return needs;
    },
    get outcome() {
      return outcome;
    },
  };
}
