/**
 * Keeps which turns run here. Invariant: at most one turn of a session runs at a time, and what a crash left open of a
 * session is closed before a new turn of it begins.
 */
import { isZerdError, ZerdError } from '@zerd/protocol/common/errors';
import type { SessionId, TurnId } from '@zerd/protocol/common/ids';
import type { TurnParts } from '../parts.ts';
import { closeOpenTurn } from '../resume/close-open-turn.ts';
import { runTurn, type TurnEnd } from '../run-turn.ts';
import type { TurnContext } from '../turn-context.ts';
import { createHolds, type Doing } from './holds.ts';
import { byUser, daemonStops, handedOver, isHandedOver } from './stop-reasons.ts';

export type Work = Parameters<typeof runTurn>[1];
export interface Prepared {
  readonly turn: TurnContext;
  readonly seq: number;
}

export interface RunningTurns {
  /** Begins a turn; settles when its beginning is committed. Rejects with turn_running, or with what `prepare` found. */
  launch(wish: LaunchWish, prepare: (signal: AbortSignal) => Promise<Prepared>, work?: Work): Promise<Launched>;
  /** Goes on with a turn that stands in the log. `prepare` may wait: the turn can be interrupted meanwhile. */
  takeUp(wish: ResumeWish, prepare: (signal: AbortSignal) => Promise<TurnContext>, work?: Work): void;
  /** Settles when the end is committed. False: no such turn runs. */
  interrupt(sessionId: SessionId, turnId?: TurnId, reason?: string): Promise<boolean>;
  /** Settles when no turn of the session runs. */
  ended(sessionId: SessionId): Promise<unknown>;
  /** A turn of it runs or is about to, or it is held. */
  isBusy(sessionId: SessionId): boolean;
  /** Does work beside which no turn of these sessions runs or begins. Rejects with turn_running. */
  hold<T>(doing: Doing, work: () => Promise<T>): Promise<T>;
  /** Those that run. */
  count(): number;
  sessions(): readonly SessionId[];
  /** Ends all, for good or so that the next daemon goes on with them. No other begins. */
  stop(how: 'interrupt' | 'handOver'): Promise<void>;
}

export interface LaunchWish {
  readonly sessionId: SessionId;
  readonly headless?: boolean;
}

export interface ResumeWish extends LaunchWish {
  readonly turnId: TurnId;
}

export interface Launched {
  readonly turnId: TurnId;
  readonly seq: number;
}

interface RunningTurn {
  readonly turnId: TurnId;
  readonly abort: AbortController;
  readonly ended: Promise<unknown>;
}

/** `onEnd`: its turn has ended. `onRelease`: it is held no more, if it is there still. */
export function createRunningTurns(
  parts: Pick<TurnParts, 'book' | 'jobs' | 'keepWarm' | 'log' | 'readConfig'>,
  onEnd: (sessionId: SessionId) => void,
  onRelease: (sessionId: SessionId) => void,
): RunningTurns {
  const { book, keepWarm, log } = parts;
  const running = new Map<SessionId, RunningTurn>();
  const starting = new Set<SessionId>();
  let stopping = false;
  const holds = createHolds((sessionId) => {
    if (!stopping) onRelease(sessionId);
  });

  function hasTurn(sessionId: SessionId): boolean {
    return running.has(sessionId) || starting.has(sessionId);
  }

  /** The first of these of which a turn runs or is about to; of any, where none is named. */
  function refuseTurns({ sessions = [...running.keys(), ...starting], not }: Doing): void {
    const busy = sessions.find(hasTurn);
    if (busy === undefined) return;
    const { pendingApprovals, pendingQuestions } = book.state(busy);
    const asks = pendingApprovals.length + pendingQuestions.length > 0;
    const todo = asks ? 'It waits for your word: answer it (`zerd answer`)' : 'Wait for its end';
    throw new ZerdError('turn_running', `Session ${busy} is running a turn; ${not}. ${todo} or interrupt it.`);
  }

  function track({ sessionId, turnId }: ResumeWish, abort: AbortController, work: Promise<unknown>): void {
    const ended = work
      .catch((error: unknown) => log.error('the end of a turn could not be logged', { error, sessionId }))
      .finally(() => {
        running.delete(sessionId);
        if (!stopping) onEnd(sessionId);
      });
    running.set(sessionId, { turnId, abort, ended });
  }

  async function run(turn: TurnContext, headless: boolean | undefined, work: Work): Promise<void> {
    const end = await runTurn(turn, work);
    // Nobody comes back to a sub-agent.
    const isChild = turn.state().created.parent !== undefined;
    if (mayGoOn(end, headless) && !stopping && !isChild) keepWarm.begin(turn);
  }

  async function interrupt(sessionId: SessionId, turnId?: TurnId, reason = byUser): Promise<boolean> {
    const turn = running.get(sessionId);
    if (!turn || (turnId !== undefined && turn.turnId !== turnId)) return false;
    turn.abort.abort(reason);
    await turn.ended;
    return true;
  }

  return {
    interrupt,
    ended: async (sessionId) => running.get(sessionId)?.ended,
    isBusy: (sessionId) => hasTurn(sessionId) || holds.has(sessionId),
    count: () => running.size,
    sessions: () => [...running.keys()],
    async hold(doing, work) {
      if (stopping) throw new ZerdError('shutting_down', `The daemon is stopping; ${doing.not}.`);
      refuseTurns(doing);
      holds.refuse(doing);
      return holds.run(doing, work);
    },
    async launch(wish, prepare, work) {
      const { sessionId } = wish;
      // A client may say more as soon as it sees `turn.finished`, an instant before the turn has left.
      if (book.state(sessionId).turn === undefined) await running.get(sessionId)?.ended;
      if (stopping) throw new ZerdError('shutting_down', 'The daemon is stopping; nothing was submitted.');
      if (hasTurn(sessionId)) throw turnRunning(sessionId);
      holds.refuse({ sessions: [sessionId], not: 'nothing was submitted' });
      const abort = new AbortController();
      starting.add(sessionId);
      try {
        await keepWarm.end(sessionId);
        await closeOpenTurn(parts, sessionId);
        const { turn, seq } = await prepare(abort.signal);
        track({ sessionId, turnId: turn.turnId }, abort, run(turn, wish.headless, work));
        return { turnId: turn.turnId, seq };
      } finally {
        starting.delete(sessionId);
      }
    },
    takeUp({ sessionId, turnId, headless }, prepare, work) {
      const abort = new AbortController();
      const whole = prepare(abort.signal).then(
        (turn) => run(turn, headless, work),
        (error: unknown) => closeUnready(parts, sessionId, abort.signal, error),
      );
      track({ sessionId, turnId }, abort, whole);
    },
    async stop(how) {
      stopping = true;
      const reason = how === 'handOver' ? handedOver : daemonStops;
      await Promise.all([...running.keys()].map((id) => interrupt(id, undefined, reason)));
      await holds.settled();
    },
  };
}

/** The turn could not go on: it ends, in the log too, unless the next daemon is to try. */
async function closeUnready(
  parts: Pick<TurnParts, 'book' | 'jobs' | 'log' | 'readConfig'>,
  sessionId: SessionId,
  signal: AbortSignal,
  error: unknown,
): Promise<void> {
  if (isHandedOver(signal)) return;
  if (signal.aborted) {
    const failure = { code: 'interrupted', message: String(signal.reason) };
    return closeOpenTurn(parts, sessionId, { outcome: 'interrupted', failure });
  }
  const expected = isZerdError(error);
  if (!expected) parts.log.error('an open turn could not go on by a defect', { error, sessionId });
  const message = `The turn could not go on after the end of a daemon; all that was committed is kept. ${expected ? (error as Error).message : String(error)}`;
  const failure = { code: expected ? error.code : 'internal_error', message };
  await closeOpenTurn(parts, sessionId, { outcome: 'failed', failure });
}

/** Behind a turn that failed, or that nobody watched, nobody is expected to come back soon. */
function mayGoOn({ outcome }: TurnEnd, headless: boolean | undefined): boolean {
  return !headless && outcome !== 'failed';
}

function turnRunning(sessionId: SessionId): ZerdError {
  return new ZerdError(
    'turn_running',
    `Session ${sessionId} is running a turn; nothing was submitted. Wait for it or interrupt it, say it to that turn (\`zerd say\`) or for a turn after it (\`zerd say --queue\`).`,
  );
}
