/**
 * Does: makes a turn ready and commits its beginning. Everything that can be wrong with it (trust, folder, model, key,
 * empty text) is found before the first event, so that a refused turn leaves no trace.
 */
import type { MemoryChange } from '@zerd/core/memory/change-memory';
import { noGrants } from '@zerd/core/permissions/decide';
import type { OpenCall, QueuedPrompt, SessionState } from '@zerd/core/session/state';
import type { ToolInput } from '@zerd/core/tools/declarations';
import type { SpendingLimit } from '@zerd/protocol/common/cost-events';
import { isZerdError, ZerdError } from '@zerd/protocol/common/errors';
import type { SessionEvent } from '@zerd/protocol/common/event';
import { type PromptId, type SessionId, type TurnId, turnIdSchema } from '@zerd/protocol/common/ids';
import type { Image } from '@zerd/protocol/common/image';
import { createProvider } from '@zerd/providers/create-provider';
import { saidBudget } from '../config/budgets.ts';
import type { Config } from '../config/load.ts';
import { providerKeyNames, type ResolvedModel, resolveModel, settingsOf } from '../config/models.ts';
import { rulesSettings } from '../config/rules.ts';
import { skillSettings } from '../config/skills.ts';
import { findSkills } from '../skills/find-skills.ts';
import { topOf } from './budget/budgets-of.ts';
import { requireTrust } from './create-session.ts';
import { gatherFacts } from './facts.ts';
import { attachImages } from './images/attach-images.ts';
import { takeUpModel } from './models/take-up-model.ts';
import { newId } from './new-id.ts';
import { outsideOf } from './outside-tools.ts';
import type { TurnParts } from './parts.ts';
import type { WindowedModel } from './probed-windows.ts';
import { waitingPrompt } from './queue/change-queue.ts';
import { requireRoom } from './require-room.ts';
import type { ClientEnv, CommandOutputNotice, Delta, Runner } from './runner.ts';
import { keepMemory, readMemory } from './session-memory.ts';
import type { ChildWish } from './subagent/ports.ts';
import { toolEnv } from './tool-env.ts';
import type { TurnContext } from './turn-context.ts';
import { watchFiles } from './watch-files.ts';
import { archiveWithRoom, createWhenRoom, transcriptsWithRoom } from './when-room.ts';
import { windowOf } from './window.ts';

type Wish = Parameters<Runner['startTurn']>[0] &
  Partial<Pick<ChildWish, 'situation' | 'handed'>> & {
    /** The waiting prompt that it is: its text at the moment of the commit counts. */
    readonly promptId?: PromptId;
    /** Of the waiting prompt. */
    readonly budget?: SpendingLimit;
  };

/** As they are kept. */
type WithImages = Omit<Wish, 'images'> & { readonly images: readonly Image[] };

export async function prepareTurn(
  parts: TurnParts,
  wish: Wish,
  signal: AbortSignal,
): Promise<{ turn: TurnContext; seq: number }> {
  requireTrust(parts, wish.trust);
  if (wish.text.trim() === '') throw new ZerdError('invalid_params', 'The message is empty; nothing was submitted.');
  await requireFolder(parts);
  const before = parts.book.state(wish.sessionId);
  const config = parts.readConfig();
  const model = await parts.windows.complete(
    resolveModel(config, wish.model ?? before.chosenModel ?? before.model, wish.env),
  );
  requireSpace(parts, model, before, wish.promptId);
  const summarizer = await summarizerOf(parts, config, wish.env);
  // What the user changed by hand since the last turn.
  await readMemory(parts, wish.sessionId);
  const turnId = turnIdSchema.parse(newId('turn', parts.clock));
  const facts = isFirst(before) ? await factsFor(parts, wish) : undefined;
  const images = wish.promptId === undefined ? await attachImages(parts, wish, model) : [];
  const begin = (said: WithImages) => parts.book.append(wish.sessionId, beginning(said, before, model, turnId, facts));
  const state = await submit(parts, { ...wish, images }, begin);
  return { turn: contextOf(parts, { ...wish, signal, turnId, model, summarizer }), seq: state.lastSeq };
}

async function requireFolder({ folder, root }: TurnParts): Promise<void> {
  if (await folder.there()) return;
  throw new ZerdError(
    'folder_missing',
    `The working folder ${root} is gone; nothing was submitted. Restore it or start zerd in another folder.`,
  );
}

/** A waiting prompt is read and submitted in one go. Rejects with already_resolved when it was taken back meanwhile. */
function submit(
  { book, prompts }: TurnParts,
  wish: WithImages,
  begin: (said: WithImages) => Promise<SessionState>,
): Promise<SessionState> {
  const { sessionId, promptId } = wish;
  if (promptId === undefined) return begin(wish);
  return prompts.run(sessionId, async () =>
    begin({ ...wish, ...saidIn(waitingPrompt(book.state(sessionId), promptId)) }),
  );
}

function saidIn({ text, images = [] }: QueuedPrompt) {
  return { text, images };
}

function isFirst({ items, compactions }: SessionState): boolean {
  return items.length === 0 && compactions.newest === undefined;
}

function beginning(
  { maxRequests, budget, headless, text, handed, promptId, images, ...said }: WithImages,
  before: SessionState,
  model: ResolvedModel,
  turnId: TurnId,
  facts: string | undefined,
): readonly SessionEvent[] {
  const changed: readonly SessionEvent[] =
    model.ref === before.model ? [] : [{ kind: 'model.changed', model: model.ref }];
  return [
    ...changed,
    {
      kind: 'turn.started',
      turnId,
      ...(maxRequests === undefined ? {} : { maxRequests }),
      ...(headless === undefined ? {} : { headless }),
      ...(budget === undefined ? saidBudget(said) : { budget }),
    },
    {
      kind: 'message.submitted',
      turnId,
      text,
      ...(facts === undefined ? {} : { facts }),
      ...(handed === undefined ? {} : { handed }),
      ...(images.length === 0 ? {} : { images: [...images] }),
      ...(promptId === undefined ? {} : { promptId }),
    },
  ];
}

async function factsFor({ root, clock }: TurnParts, { situation }: Wish): Promise<string> {
  const facts = await gatherFacts(root, clock);
  return situation === undefined ? facts : `${facts}\n${situation}`;
}

/** A window that is too small is asked for again by the next turn: the message says how to make it larger. */
function requireSpace({ windows }: TurnParts, model: WindowedModel, state: SessionState, waiting?: PromptId): void {
  try {
    requireRoom(model, state);
  } catch (error) {
    if (model.windowFrom !== undefined) windows.doubt(model);
    if (!isZerdError(error)) throw error;
    const kept = waiting === undefined ? 'Your message was not taken: the session is as it was.' : 'The prompt waits.';
    throw new ZerdError(error.code, `${error.message} ${kept}`);
  }
}

/** Throws what `resolveModel` throws. */
export async function summarizerOf(
  { windows }: TurnParts,
  config: Config,
  env: ClientEnv,
): Promise<ResolvedModel | undefined> {
  return config.summarizer === undefined
    ? undefined
    : await windows.complete(resolveModel(config, config.summarizer, env));
}

type Raised = Extract<SessionEvent, { kind: 'budget.raised' }>;

/** More than a turn logs between two requests, but for rare ones. */
const newestEvents = 400;

export interface ContextWish extends Pick<TurnContext, 'sessionId' | 'turnId' | 'signal' | 'model' | 'summarizer'> {
  readonly env: ClientEnv;
}

function answeringWith(model: ResolvedModel): Pick<TurnContext, 'model' | 'settings' | 'provider'> {
  return { model, settings: settingsOf(model), provider: createProvider(model.endpoint) };
}

export function contextOf(parts: TurnParts, wish: ContextWish): TurnContext {
  const { root, folder, book, clock, log, search, gate, waits, keyLimits, store } = parts;
  const { sessionId, turnId, signal, summarizer } = wish;
  const config = parts.readConfig();
  const whenRoom = createWhenRoom({ clock, log, waits, sessionId, signal, store });
  const append = (id: SessionId, events: readonly SessionEvent[]) =>
    whenRoom('the session log', () => book.append(id, events));
  let answering = answeringWith(wish.model);
  const turn: TurnContext = Object.freeze({
    sessionId,
    turnId,
    signal,
    root,
    begunAt: clock.now(),
    folder,
    get model() {
      return answering.model;
    },
    get settings() {
      return answering.settings;
    },
    get provider() {
      return answering.provider;
    },
    async takeUpModel() {
      const model = await takeUpModel(parts, turn, wish.env);
      if (model !== undefined) answering = answeringWith(model);
    },
    onModelChosen: (listener: () => void) => parts.modelChoices.onChoice(sessionId, listener),
    deadlines: config.deadlines,
    summarizer,
    compactionMs: config.compactionMs,
    toolMs: config.toolMs,
    caps: config.caps,
    rules: rulesSettings(config),
    window: windowOf(config, wish.env),
    relief: config.relief,
    toolEnv: toolEnv(wish.env, providerKeyNames(config)),
    grants: () => parts.grants?.now() ?? noGrants,
    clock,
    log,
    archive: archiveWithRoom(whenRoom, store.archive),
    transcripts: transcriptsWithRoom(whenRoom, store.transcripts),
    search,
    jobs: parts.jobs,
    jobAfterMs: config.jobs.afterMs,
    memory: {
      read: () => book.state(sessionId).memory,
      keep: async (change: MemoryChange) => void (await keepMemory(parts, sessionId, { change, by: 'model', turnId })),
    },
    skills: async () => (await findSkills({ root, ...skillSettings(config, wish.env) })).skills,
    outside: outsideOf(parts, sessionId, wish.env),
    outsideLimit: config.mcp.limit,
    fileWatch: watchFiles(parts, sessionId),
    gate,
    questions: parts.questions,
    prompts: parts.prompts,
    waits,
    keepWarm: parts.keepWarm,
    keyLimits,
    budgets: parts.budgets,
    state: () => book.state(sessionId),
    events: () => store.read(sessionId),
    newestEvents: () => store.read(sessionId, Math.max(0, book.state(sessionId).lastSeq - newestEvents)),
    whenRoom,
    append: (events: readonly SessionEvent[]) => append(sessionId, events),
    raiseBudget: async (event: Raised) => void (await append(topOf(book, sessionId), [event])),
    outputWanted: () => [...parts.outputListeners].some((listener) => listener.wanted(sessionId)),
    sendOutput(output: Omit<CommandOutputNotice, 'sessionId' | 'turnId'>) {
      for (const listener of parts.outputListeners) listener.tell({ sessionId, turnId, ...output });
    },
    sendDelta: (delta: Omit<Delta, 'sessionId' | 'turnId'>) => parts.sendDelta({ sessionId, turnId, ...delta }),
    delegate: (call: OpenCall, input: ToolInput<'task'>) =>
      parts.subagents.delegate({ turn, env: wish.env, call, input }),
  });
  return turn;
}
