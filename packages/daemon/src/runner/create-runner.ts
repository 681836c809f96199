/**
 * Puts the runner together: what turns are made of, and what the server may ask of them. Invariant: it decides nothing;
 * each answer is that of a room.
 */
import type { SessionId } from '@zerd/protocol/common/ids';
import type { KeptNotes } from '@zerd/protocol/common/notes-markdown';
import { createLocks } from '../base/locks.ts';
import { createWaits } from '../base/waits.ts';
import { openWorkFolder } from '../files/work-folder.ts';
import { createGate } from '../permissions/gate.ts';
import { answerAllowed, answerApproval } from './approvals/answer-approval.ts';
import { pendingApprovals } from './approvals/pending-approvals.ts';
import { openBook } from './book.ts';
import { readBudgets } from './budget/budgets-of.ts';
import { createBudgetDesk } from './budget/desk.ts';
import { prepareCompaction, runCompaction } from './compact/start-compaction.ts';
import { contextBody } from './context-body.ts';
import { contextSizes } from './cost/context-sizes.ts';
import { forecastTurn } from './cost/forecast-turn.ts';
import { readCost } from './cost/read-cost.ts';
import { createSession } from './create-session.ts';
import { forkSession } from './fork-session.ts';
import { createKeepWarm } from './keep-warm.ts';
import { createKeptFolds } from './kept-folds.ts';
import { createKeyLimits } from './key-limits.ts';
import { createModelChoices } from './models/model-choices.ts';
import { selectModel } from './models/select-model.ts';
import type { RunnerParts, TurnParts } from './parts.ts';
import { answerQuestion } from './questions/answer-question.ts';
import { pendingQuestions } from './questions/pending-questions.ts';
import { createQuestions } from './questions/questions.ts';
import { addPrompt, changePrompt, steerTurn } from './queue/change-queue.ts';
import { createQueue } from './queue/queue.ts';
import { waitingPrompts } from './queue/waiting-prompts.ts';
import { forgetSecret, removeSession } from './remove-session.ts';
import { createEnvOffers } from './resume/env-offers.ts';
import { recover } from './resume/recover.ts';
import { rewindSession } from './rewind/rewind-session.ts';
import type { Delta, OutputListener, Runner } from './runner.ts';
import { keepMemory, readMemory } from './session-memory.ts';
import { setMode } from './set-mode.ts';
import { prepareTurn } from './start-turn.ts';
import { createSubagents } from './subagent/subagents.ts';
import { createRunningTurns } from './turns/running-turns.ts';
import { createWake, prepareWake } from './wake.ts';

export function createRunner(parts: RunnerParts): Runner {
  const { store, clock } = parts;
  const { foldBuild = () => undefined, log } = parts;
  const book = openBook(store, createKeptFolds({ store, log, build: foldBuild }));
  const listeners = new Set<(delta: Delta) => void>();
  const outputListeners = new Set<OutputListener>();
  const waits = parts.waits ?? createWaits(clock);
  const keepWarm = createKeepWarm(parts);
  const turnParts: TurnParts = {
    ...parts,
    book,
    gate: createGate(clock),
    questions: createQuestions(clock),
    prompts: createLocks(),
    folder: openWorkFolder(parts.root),
    envOffers: createEnvOffers(),
    waits,
    keepWarm,
    keyLimits: createKeyLimits(clock, waits),
    modelChoices: createModelChoices(),
    budgets: createBudgetDesk({ ...parts, book }),
    outputListeners,
    sendDelta: (delta) => {
      for (const listener of listeners) listener(delta);
    },
    subagents: createSubagents(
      { ...parts, book, waits, onDelta },
      {
        start: (wish) => begin(wish),
        ended: (sessionId) => turns.ended(sessionId),
        interrupt: (sessionId, turnId, reason) => turns.interrupt(sessionId, turnId, reason),
      },
    ),
  };

  function onDelta(listener: (delta: Delta) => void): Disposable {
    listeners.add(listener);
    return { [Symbol.dispose]: () => void listeners.delete(listener) };
  }

  const begin = (wish: Parameters<typeof prepareTurn>[1]) =>
    turns.launch(wish, (signal) => prepareTurn(turnParts, wish, signal));
  const goOn = (sessionId: SessionId) => void queue.goOn(sessionId);
  const turns = createRunningTurns(turnParts, goOn, (sessionId) => {
    if (store.session(sessionId) === undefined) return;
    goOn(sessionId);
    wake.look(sessionId);
  });
  const queue = createQueue(turnParts, begin);
  const wake = createWake(turnParts, (wish) => turns.launch(wish, (signal) => prepareWake(turnParts, wish, signal)));

  /** Its commands end with it (P082). */
  async function leave(sessionId: SessionId): Promise<void> {
    await Promise.all([keepWarm.end(sessionId), parts.jobs.stopOf(sessionId)]);
    wake.forget(sessionId);
    queue.forget(sessionId);
  }

  const notesAt = (sessionId: SessionId, kept: KeptNotes) => ({ ...kept, file: store.notesFiles.place(sessionId) });

  return {
    createSession: (wish) => createSession(parts, book, wish),
    startTurn(wish) {
      wake.remember(wish);
      queue.remember(wish.sessionId, wish);
      return begin(wish);
    },
    compact: (wish) => turns.launch(wish, (signal) => prepareCompaction(turnParts, wish, signal), runCompaction),
    async steer(wish) {
      const kept = await steerTurn(turnParts, wish);
      queue.rememberSteer(wish.sessionId, kept.promptId, wish);
      return kept;
    },
    async queue(wish) {
      const kept = await addPrompt(turnParts, wish);
      queue.rememberPrompt(kept.promptId, wish);
      const began = turns.isBusy(wish.sessionId) ? undefined : await queue.goOn(wish.sessionId);
      return { ...kept, ...(began && { began: began.turnId }) };
    },
    changePrompt: (change) => changePrompt(turnParts, change),
    runQueue: async ({ sessionId, ...speaker }) => (await queue.run(sessionId, speaker))?.turnId,
    queued: (sessionId) => waitingPrompts(book, sessionId, queue.needs(sessionId)),
    trusted: (env) => queue.trusted(env),
    offerEnv(env) {
      turnParts.envOffers.offer(env);
      queue.offer(env);
    },
    interrupt: (sessionId, turnId) => turns.interrupt(sessionId, turnId),
    async answer(answer) {
      await answerApproval(turnParts, answer);
      if (answer.always) await answerAllowed(turnParts, turns.sessions(), answer.by);
    },
    allowedMore: (by) => answerAllowed(turnParts, turns.sessions(), by),
    answerQuestion: (answer) => answerQuestion(turnParts, answer),
    pendingQuestions: (sessionId) => pendingQuestions(book, sessionId),
    setMode: (sessionId, mode, by) => setMode(turnParts, sessionId, mode, by),
    readNotes: async (sessionId) => notesAt(sessionId, await readMemory(turnParts, sessionId)),
    writeNotes: async (sessionId, change) =>
      notesAt(sessionId, await keepMemory(turnParts, sessionId, { change, by: 'user' })),
    pendingApprovals: (sessionId) => pendingApprovals(book, sessionId),
    fork: (wish) => forkSession(parts, wish),
    rewind: (wish) => rewindSession({ ...parts, hold: turns.hold }, wish),
    contextBody: (sessionId, requestId) => contextBody(parts, sessionId, requestId),
    contextSizes: (sessionId, requestId, env) =>
      contextSizes({ ...parts, known: parts.windows.known }, book.state(sessionId), sessionId, requestId, env),
    readBudgets: (sessionId) => readBudgets({ ...parts, book }, sessionId),
    readCost: (sessionId, whole) => readCost(parts, sessionId, whole),
    forecast: (wish) => forecastTurn({ ...parts, known: parts.windows.known }, book.state(wish.sessionId), wish),
    selectModel: (wish) => selectModel(turnParts, wish),
    removeSession: (sessionId) => removeSession({ store, book, hold: turns.hold, leave }, sessionId),
    forget: (secret) => forgetSecret({ store, hold: turns.hold }, secret),
    waits: waits.list,
    runningTurns: turns.count,
    onDelta,
    onOutput(listener) {
      outputListeners.add(listener);
      return { [Symbol.dispose]: () => void outputListeners.delete(listener) };
    },
    recover: () => recover(turnParts, turns, goOn),
    async stop(how = 'interrupt') {
      queue.close();
      await Promise.all([turns.stop(how), keepWarm.close()]);
      queue.close();
    },
  };
}
