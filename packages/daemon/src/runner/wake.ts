/**
 * Does: begins a turn without a message when a job of an idle session has ended, if the user's settings allow it. The
 * turn is that of the session's last client: its environment is kept in memory only, so after a restart nobody is woken.
 */
import { untoldEnds } from '@zerd/core/jobs/tell-ends';
import { isZerdError, ZerdError } from '@zerd/protocol/common/errors';
import { type SessionId, turnIdSchema } from '@zerd/protocol/common/ids';
import { resolveModel } from '../config/models.ts';
import { requireTrust } from './create-session.ts';
import { newId } from './new-id.ts';
import type { TurnParts } from './parts.ts';
import type { ClientEnv } from './runner.ts';
import { contextOf, summarizerOf } from './start-turn.ts';
import type { TurnContext } from './turn-context.ts';

export interface LastWish {
  readonly sessionId: SessionId;
  readonly env: ClientEnv;
  readonly headless?: boolean;
  readonly trust?: boolean;
}

export interface Wake {
  /** The session's newest turn: a later one is begun as it was. */
  remember(wish: LastWish): void;
  /** Nothing keeps a turn from beginning any more. */
  look(sessionId: SessionId): void;
  /** The session is gone. */
  forget(sessionId: SessionId): void;
}

/** `begin` launches a turn unless one runs. */
export function createWake(parts: TurnParts, begin: (wish: LastWish) => Promise<unknown>): Wake {
  const last = new Map<SessionId, LastWish>();
  const wake = (sessionId: SessionId) => {
    const wish = last.get(sessionId);
    if (wish === undefined || !parts.readConfig().jobs.wake) return;
    begin(wish).catch((error: unknown) => {
      if (!isZerdError(error)) parts.log.error('the end of a job could not begin a turn', { error, sessionId });
    });
  };
  parts.store.onCommit((sessionId, events) => {
    const ended = events.some(({ event }) => event.kind === 'job.finished');
    // A turn that runs is told of it by its next request; one that ends meanwhile looks again.
    if (ended || events.some(({ event }) => event.kind === 'turn.finished'))
      queueMicrotask(() => wakeIfNews(sessionId));
  });
  const wakeIfNews = (sessionId: SessionId) => {
    if (!last.has(sessionId)) return;
    const state = parts.book.state(sessionId);
    if (state.turn === undefined && untoldEnds(state).length > 0) wake(sessionId);
  };
  return {
    // No more of it than a later turn needs: what was said is in the log.
    remember({ sessionId, env, headless, trust }) {
      const as = { ...(headless !== undefined && { headless }), ...(trust !== undefined && { trust }) };
      last.set(sessionId, { sessionId, env, ...as });
    },
    look: wakeIfNews,
    forget: (sessionId) => void last.delete(sessionId),
  };
}

export async function prepareWake(
  parts: TurnParts,
  { sessionId, env, headless, trust }: LastWish,
  signal: AbortSignal,
): Promise<{ turn: TurnContext; seq: number }> {
  requireTrust(parts, trust);
  if (untoldEnds(parts.book.state(sessionId)).length === 0)
    throw new ZerdError('invalid_params', 'There is nothing to tell; no turn was started.');
  const config = parts.readConfig();
  const model = await parts.windows.complete(resolveModel(config, parts.book.state(sessionId).model, env));
  const summarizer = await summarizerOf(parts, config, env);
  const turnId = turnIdSchema.parse(newId('turn', parts.clock));
  const started = { kind: 'turn.started', turnId, ...(headless === undefined ? {} : { headless }) } as const;
  const { lastSeq } = await parts.book.append(sessionId, [started]);
  return { turn: contextOf(parts, { sessionId, turnId, signal, model, summarizer, env }), seq: lastSeq };
}
