/**
 * Does: finds the key with which an open turn goes on after a restart: that of the user's own configuration at once, else
 * that of the first client that connects and has it, or of who chooses another model. Until then the turn waits, visibly,
 * as a question about the key; the user may end it there.
 */
import { dueModel } from '@zerd/core/session/chosen-model';
import { isZerdError, ZerdError } from '@zerd/protocol/common/errors';
import { type ResolvedModel, resolveModel } from '../../config/models.ts';
import type { TurnParts } from '../parts.ts';
import { type Asking, askUser } from '../questions/ask-user.ts';
import type { ClientEnv } from '../runner.ts';
import type { Offered } from './env-offers.ts';

export interface FoundKey {
  readonly env: ClientEnv;
  readonly model: ResolvedModel;
}

const again = 'try again';
const stop = 'stop';

/**
 * `offered` listens since the turn was taken up. Rejects with ZerdError when the model cannot be had, or nobody brought its
 * key; with the signal's reason when interrupted.
 */
export async function findKey(parts: TurnParts, turn: Asking, offered: Offered): Promise<FoundKey> {
  for (;;) {
    const chooser = parts.modelChoices.envOf(turn.sessionId);
    const envs = [parts.env, ...offered.taken(), ...(chooser === undefined ? [] : [chooser])];
    const found = envs.map((env) => ({ env, model: resolve(parts, turn, env) }));
    const ready = found.find((one): one is FoundKey => !isZerdError(one.model));
    if (ready !== undefined) return await settleAsked(parts, turn, ready);
    const missing = found[0]?.model;
    if (isZerdError(missing)) await waitForKey(parts, turn, missing, offered);
  }
}

/** The model that was chosen for the next request, else the one of before. That a key is missing is a value: it may come. */
function resolve(parts: TurnParts, turn: Asking, env: ClientEnv): ResolvedModel | ZerdError {
  const state = turn.state();
  const before = resolveWithKey(parts, state.model, env);
  const chosen = dueModel(state);
  const other = chosen === undefined ? undefined : resolveWithKey(parts, chosen, env);
  return other === undefined || isZerdError(other) ? before : other;
}

/** The model for summaries has to have its own. */
function resolveWithKey({ readConfig }: TurnParts, model: string, env: ClientEnv): ResolvedModel | ZerdError {
  const config = readConfig();
  try {
    if (config.summarizer !== undefined) resolveModel(config, config.summarizer, env);
    return resolveModel(config, model, env);
  } catch (error) {
    if (isZerdError(error) && error.code === 'key_missing') return error;
    throw error;
  }
}

async function waitForKey(parts: TurnParts, turn: Asking, missing: ZerdError, offered: Offered): Promise<void> {
  const came = new AbortController();
  const look = (env: ClientEnv) => {
    if (came.signal.aborted || isZerdError(resolve(parts, turn, env))) return;
    came.abort();
    void tellFound(parts, turn);
  };
  offered.onNext(look);
  const chosen = parts.modelChoices.onChoice(turn.sessionId, () => {
    for (const env of [parts.env, ...offered.taken()]) look(env);
    look(parts.modelChoices.envOf(turn.sessionId) ?? parts.env);
  });
  try {
    if (pendingKey(turn) === undefined && (await comesSoon(turn, came.signal))) return;
    const text = `The daemon ended in this turn, and the next one does not have the key. The turn goes on by itself when a client connects that has it. ${missing.message}`;
    const onAsked = () => void (came.signal.aborted && tellFound(parts, turn));
    const { answer, reason } = await askUser(turn, { about: 'key', text, options: [again, stop], onAsked });
    if (answer === undefined) throw new ZerdError('key_missing', `${missing.message} It was waited for: ${reason}.`);
    if (!came.signal.aborted && answer.trim().toLowerCase() === stop)
      throw new ZerdError('key_missing', `Ended by the user. ${missing.message}`);
  } finally {
    offered.onNext(undefined);
    chosen[Symbol.dispose]();
  }
}

/** Who starts the next daemon connects a moment later: nobody is asked for what comes by itself. */
async function comesSoon({ clock, waits, sessionId, signal }: Asking, came: AbortSignal): Promise<boolean> {
  const shown = waits.begin('the key of a provider', sessionId, clock.now() + soonMs);
  try {
    await clock.sleep(soonMs, AbortSignal.any([signal, came]));
    return false;
  } catch (reason) {
    if (signal.aborted) throw reason;
    return true;
  } finally {
    shown[Symbol.dispose]();
  }
}

const soonMs = 1_000;

/** One that an earlier daemon asked, and that nobody has to answer any more. */
async function settleAsked(parts: TurnParts, turn: Asking, found: FoundKey): Promise<FoundKey> {
  await tellFound(parts, turn);
  return found;
}

/** The question is settled by what came in place of an answer. */
async function tellFound({ questions, log }: TurnParts, turn: Asking): Promise<void> {
  const { turnId, sessionId } = turn;
  const asked = pendingKey(turn);
  if (asked === undefined) return;
  const { questionId } = asked;
  const reason = 'the key is at hand';
  const commit = () => turn.append([{ kind: 'question.answered', turnId, questionId, reason }]);
  await questions
    .settle(questionId, again, commit)
    .catch((error: unknown) => log.warn('a key that came could not be noted', { error, sessionId }));
}

function pendingKey(turn: Asking) {
  return turn.state().pendingQuestions.find((open) => open.turnId === turn.turnId && open.about === 'key');
}
