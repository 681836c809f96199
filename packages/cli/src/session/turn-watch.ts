/**
 * Knows how a run's turn ended. Invariant: `ended` settles with the turn's own `turn.finished` or rejects; it finds the
 * turn by the id that `turn/start` gave, or, when that answer was lost, in the log by the text that was submitted.
 */
import { ZerdError } from '@zerd/protocol/common/errors';
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { TurnId } from '@zerd/protocol/common/ids';

export interface TurnEnd {
  readonly turnId: TurnId;
  readonly finished: Finished;
}

type Finished = Extract<SessionEvent, { kind: 'turn.finished' }>;

export interface TurnWatch {
  readonly turnId: TurnId | undefined;
  readonly ended: Promise<TurnEnd>;
  observe(event: SessionEvent): void;
  adopt(turnId: TurnId): void;
  synced(): void;
  lose(error: unknown): void;
  /** After a connection that closed under `turn/start`: what the log says about it, once the replay is complete. */
  startedAfterAll(sessionId: string): Promise<TurnId>;
}

export function watchTurn(text: string): TurnWatch {
  const ended = deferred<TurnEnd>();
  const replayed = deferred<void>();
  const finished = new Map<TurnId, Finished>();
  let own: TurnId | undefined;
  let submitted: TurnId | undefined;
  let waitsForReplay = false;
  const settle = () => {
    const end = own === undefined ? undefined : finished.get(own);
    if (own === undefined || end === undefined) return;
    ended.resolve({ turnId: own, finished: end });
  };
  return {
    get turnId() {
      return own;
    },
    ended: ended.promise,
    observe(event) {
      if (event.kind === 'message.submitted' && event.text === text) submitted = event.turnId;
      if (event.kind === 'turn.finished') finished.set(event.turnId, event);
      settle();
    },
    adopt(turnId) {
      own = turnId;
      settle();
    },
    synced() {
      if (waitsForReplay) replayed.resolve();
    },
    lose(error) {
      ended.reject(error);
      replayed.reject(error);
    },
    async startedAfterAll(sessionId) {
      waitsForReplay = true;
      await replayed.promise;
      if (submitted === undefined) throw neverStarted(sessionId);
      return submitted;
    },
  };
}

function neverStarted(sessionId: string): ZerdError {
  return new ZerdError(
    'disconnected',
    `The connection closed before the turn was accepted, and the log shows that it never began. Run it again with --session ${sessionId}.`,
  );
}

function deferred<T>() {
  let resolve: (value: T) => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<T>((onValue, onError) => {
    resolve = onValue;
    reject = onError;
  });
  // Whoever waits hears of a rejection; that nobody waits yet is no defect.
  promise.catch(() => {});
  return { promise, resolve, reject };
}
