/**
 * Puts the runner together: which turns run here, and what the server may ask of them. Invariant: at most one turn of a
 * session runs at a time, and a session whose turn a crash left open is closed before anything new is appended to it.
 */
import { ZerdError } from '@zerd/protocol/common/errors';
import type { SessionId, TurnId } from '@zerd/protocol/common/ids';
import type { KeptNotes } from '@zerd/protocol/common/notes-markdown';
import { createGate } from '../permissions/gate.ts';
import { answerApproval } from './approvals/answer-approval.ts';
import { pendingApprovals } from './approvals/pending-approvals.ts';
import { openBook } from './book.ts';
import { prepareCompaction, runCompaction } from './compact/start-compaction.ts';
import { contextBody } from './context-body.ts';
import { contextSizes } from './cost/context-sizes.ts';
import { forecastTurn } from './cost/forecast-turn.ts';
import { readCost } from './cost/read-cost.ts';
import { createSession } from './create-session.ts';
import { forkSession } from './fork-session.ts';
import { createKeepWarm } from './keep-warm.ts';
import { createKeyLimits } from './key-limits.ts';
import { startIdsAfter } from './new-id.ts';
import type { RunnerParts, TurnParts } from './parts.ts';
import { answerQuestion } from './questions/answer-question.ts';
import { pendingQuestions } from './questions/pending-questions.ts';
import { createQuestions } from './questions/questions.ts';
import { closingEvents } from './recover.ts';
import { forgetSecret, removeSession } from './remove-session.ts';
import { runTurn, type TurnEnd } from './run-turn.ts';
import type { Delta, Runner } from './runner.ts';
import { selectModel } from './select-model.ts';
import { keepMemory, readMemory } from './session-memory.ts';
import { setMode } from './set-mode.ts';
import { prepareTurn } from './start-turn.ts';
import { lostResults } from './subagent/lost.ts';
import { createSubagents } from './subagent/subagents.ts';
import { createWaits } from './waits.ts';
import { createWake, prepareWake } from './wake.ts';

interface RunningTurn {
  readonly turnId: TurnId;
  readonly abort: AbortController;
  readonly ended: Promise<unknown>;
}

export function createRunner(parts: RunnerParts): Runner {
  const { store, clock } = parts;
  const book = openBook(store);
  const running = new Map<SessionId, RunningTurn>();
  const starting = new Set<SessionId>();
  const listeners = new Set<(delta: Delta) => void>();
  const waits = createWaits(clock);
  const keepWarm = createKeepWarm(parts);
  const turnParts: TurnParts = {
    ...parts,
    book,
    gate: createGate(clock),
    questions: createQuestions(clock),
    waits,
    keepWarm,
    keyLimits: createKeyLimits(clock, waits),
    sendDelta: (delta) => {
      for (const listener of listeners) listener(delta);
    },
    subagents: createSubagents(
      { ...parts, book, waits, onDelta },
      {
        start: (wish) => launch(wish, (signal) => prepareTurn(turnParts, wish, signal)),
        ended: async (sessionId) => running.get(sessionId)?.ended,
        interrupt,
      },
    ),
  };

  function onDelta(listener: (delta: Delta) => void): Disposable {
    listeners.add(listener);
    return { [Symbol.dispose]: () => void listeners.delete(listener) };
  }

  async function closeLeftOpen(sessionId: SessionId): Promise<void> {
    const lost = lostResults(book, sessionId);
    if (lost.length > 0) await book.append(sessionId, lost);
    const events = closingEvents(book.state(sessionId), (callId) => parts.jobs.jobOfCall(sessionId, callId));
    if (events.length > 0) await book.append(sessionId, events);
  }

  /** A client may say more as soon as it sees `turn.finished`, an instant before the turn has left. */
  async function settleEnded(sessionId: SessionId): Promise<void> {
    if (book.state(sessionId).turn === undefined) await running.get(sessionId)?.ended;
  }

  async function interrupt(
    sessionId: SessionId,
    turnId?: TurnId,
    reason = 'interrupted by the user',
  ): Promise<boolean> {
    const turn = running.get(sessionId);
    if (!turn || (turnId !== undefined && turn.turnId !== turnId)) return false;
    turn.abort.abort(reason);
    await turn.ended;
    return true;
  }

  /** At most one a session, behind what a crash left open. */
  async function launch(
    wish: { readonly sessionId: SessionId; readonly headless?: boolean },
    prepare: (signal: AbortSignal) => ReturnType<typeof prepareTurn>,
    work?: typeof runCompaction,
  ): ReturnType<Runner['startTurn']> {
    const { sessionId } = wish;
    await settleEnded(sessionId);
    if (running.has(sessionId) || starting.has(sessionId)) throw turnRunning(sessionId);
    const abort = new AbortController();
    starting.add(sessionId);
    const { turn, seq } = await keepWarm
      .end(sessionId)
      .then(() => closeLeftOpen(sessionId))
      .then(() => prepare(abort.signal))
      .finally(() => starting.delete(sessionId));
    const ended = runTurn(turn, work)
      .then((end) => {
        if (mayGoOn(end, wish.headless)) keepWarm.begin(turn);
      })
      .catch((defect: unknown) =>
        parts.log.error('the end of a turn could not be logged', { error: defect, sessionId }),
      )
      .finally(() => running.delete(sessionId));
    running.set(sessionId, { turnId: turn.turnId, abort, ended });
    return { turnId: turn.turnId, seq };
  }

  /** Its commands end with it (P082). */
  async function leave(sessionId: SessionId): Promise<void> {
    await Promise.all([keepWarm.end(sessionId), parts.jobs.stopOf(sessionId)]);
  }

  const wake = createWake(turnParts, (wish) => launch(wish, (signal) => prepareWake(turnParts, wish, signal)));

  const notesAt = (sessionId: SessionId, kept: KeptNotes) => ({ ...kept, file: store.notesFiles.place(sessionId) });

  return {
    createSession: (wish) => createSession(parts, book, wish),
    startTurn(wish) {
      wake.remember(wish);
      return launch(wish, (signal) => prepareTurn(turnParts, wish, signal));
    },
    compact: (wish) => launch(wish, (signal) => prepareCompaction(turnParts, wish, signal), runCompaction),
    interrupt,
    answer: (answer) => answerApproval(turnParts, answer),
    answerQuestion: (answer) => answerQuestion(turnParts, answer),
    pendingQuestions: (sessionId) => pendingQuestions(book, sessionId),
    async setMode(sessionId, mode) {
      await setMode(book, sessionId, mode);
    },
    readNotes: async (sessionId) => notesAt(sessionId, await readMemory(turnParts, sessionId)),
    writeNotes: async (sessionId, change) =>
      notesAt(sessionId, await keepMemory(turnParts, sessionId, { change, by: 'user' })),
    pendingApprovals: (sessionId) => pendingApprovals(book, sessionId),
    fork: (wish) => forkSession(parts, wish),
    contextBody: (sessionId, requestId) => contextBody(parts, sessionId, requestId),
    contextSizes: (sessionId, requestId, env) =>
      contextSizes({ ...parts, known: parts.windows.known }, book.state(sessionId), sessionId, requestId, env),
    readCost: (sessionId, whole) => readCost(parts, sessionId, whole),
    forecast: (wish) => forecastTurn({ ...parts, known: parts.windows.known }, book.state(wish.sessionId), wish),
    selectModel: (wish) => selectModel(turnParts, wish),
    removeSession: (sessionId) =>
      removeSession(
        { store, book, isRunning: (id) => running.has(id) || starting.has(id), leave: (id) => leave(id) },
        sessionId,
      ),
    forget: (secret) => forgetSecret({ store, runningTurns: () => running.size + starting.size }, secret),
    waits: waits.list,
    runningTurns: () => running.size,
    onDelta,
    async recover() {
      await parts.jobs.adopt();
      for (const { sessionId, updatedAt } of store.sessions()) startIdsAfter(clock, sessionId, updatedAt);
      for (const { sessionId, state } of store.sessions()) if (state !== 'idle') await closeLeftOpen(sessionId);
    },
    async stop() {
      const interrupted = [...running.keys()].map((id) => interrupt(id, undefined, 'the daemon is stopping'));
      await Promise.all([...interrupted, keepWarm.close()]);
    },
  };
}

/** Behind a turn that failed, or that nobody watched, nobody is expected to come back soon. */
function mayGoOn({ outcome }: TurnEnd, headless: boolean | undefined): boolean {
  return !headless && outcome !== 'failed';
}

function turnRunning(sessionId: SessionId): ZerdError {
  return new ZerdError(
    'turn_running',
    `Session ${sessionId} is running a turn. Wait for its end or interrupt it; nothing was submitted.`,
  );
}
