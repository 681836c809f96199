/**
 * What a session is, as a fold of its log: everything the runner needs to choose the next step and to render a prompt.
 * Invariants: folding a prefix and applying the rest equals folding all; a tool result never stands without its call,
 * and never twice; an event that is not newer than the state, or of a kind this build does not know, changes no fact.
 */
import type { LoggedEvent, SeenFile, SessionEvent } from '@zerd/protocol/common/event';
import type { ApprovalId, CallId, JobId, QuestionId, RequestId } from '@zerd/protocol/common/ids';
import type { Usage } from '@zerd/protocol/common/usage';
import { folderInFacts } from '../context/remind/folder-moved.ts';
import { type ToldServer, toldAfterServers } from '../mcp/told.ts';
import { splitRules } from '../rules/block.ts';
import { answerApproval, changeCall, closeApprovals, requestApproval } from './approvals.ts';
import { budgetFrom, noBudget, raiseBudget, warnedOf } from './budget.ts';
import { chosenAfter } from './chosen-model.ts';
import { afterAnswer, compacted, noCompactions, triedToCompact } from './compactions.ts';
import { type FixedUses, fixedShare, noFixedUse, useFixed } from './fixed-use.ts';
import { copying, type Growth, inPlace } from './growth.ts';
import { noneRefused, refuseImages } from './images.ts';
import { finishJob, startJob, tellJobs } from './jobs.ts';
import { type KnownFile, knownAfter, knownFromMessage, seenInMessage } from './known-files.ts';
import { changeNotes, changeTodo, noMemory, remindedOfMemory } from './memory.ts';
import { answerQuestion, askQuestion, closeQuestions } from './questions.ts';
import { changePrompt, queuePrompt, withoutPrompt } from './queue.ts';
import type {
  AnsweredRequest,
  CreatedFacts,
  JobState,
  OpenCall,
  OpenRequest,
  SessionState,
  TranscriptItem,
} from './state.ts';
import { type ToldChange, toldAfterReminder, toldAfterResult } from './told-changes.ts';
import { addTrim, measureTrim, noTrims } from './trims.ts';
import { gotFurther, inTurn, resumeTurn, startTurn } from './turns.ts';

const nothingCreated: CreatedFacts = {
  root: '',
  system: '',
  tools: '[]',
  model: '',
  mode: 'read-only',
  version: '',
  rules: [],
  forkOf: undefined,
  parent: undefined,
};

/** The state before any event. */
export const emptySession: SessionState = {
  lastSeq: 0,
  lastAt: 0,
  created: nothingCreated,
  model: '',
  chosenModel: undefined,
  mode: 'read-only',
  turn: undefined,
  items: [],
  openCalls: [],
  openRequest: undefined,
  pendingApprovals: [],
  closedApprovals: new Set(),
  seen: new Map(),
  known: new Map(),
  told: new Map(),
  usedCallIds: new Set(),
  cacheWarned: new Set(),
  budget: noBudget,
  lastRequest: undefined,
  requests: [],
  fixedUses: noFixedUse,
  trims: noTrims,
  compactions: noCompactions,
  queue: [],
  paused: false,
  toldMode: undefined,
  toldFolder: undefined,
  pendingQuestions: [],
  closedQuestions: new Set(),
  subagents: [],
  jobs: new Map(),
  memory: noMemory,
  rulesTold: new Map(),
  serversTold: new Map(),
  refusedImages: noneRefused,
};

/** The state after `events`, which are in order from the first; linear in their number. */
export function foldSession(events: readonly LoggedEvent[]): SessionState {
  const own = {
    items: [],
    requests: [],
    closedApprovals: new Set<ApprovalId>(),
    seen: new Map<string, SeenFile>(),
    known: new Map<string, KnownFile>(),
    told: new Map<string, ToldChange>(),
    usedCallIds: new Set<CallId>(),
    cacheWarned: new Set<string>(),
    closedQuestions: new Set<QuestionId>(),
    jobs: new Map<JobId, JobState>(),
    rulesTold: new Map<string, string | undefined>(),
    serversTold: new Map<string, ToldServer>(),
  };
  return foldFurther({ ...emptySession, ...own }, events);
}

/** The state after `events`, from one that nobody else holds: it is changed in place, and only the answer counts. */
export function foldFurther(own: SessionState, events: readonly LoggedEvent[]): SessionState {
  return events.reduce<SessionState>((state, logged) => step(state, logged, inPlace), own);
}

/** The state after one more event. `state` itself stays as it is. */
export function applyEvent(state: SessionState, logged: LoggedEvent): SessionState {
  return step(state, logged, copying);
}

type Kind = SessionEvent['kind'];
type EventOf<K extends Kind> = Extract<SessionEvent, { kind: K }>;
/** What an event changes. */
type Change = Partial<SessionState>;
interface Moment {
  readonly seq: number;
  readonly at: number;
  readonly grow: Growth;
}
type Handlers = { readonly [K in Kind]: (state: SessionState, event: EventOf<K>, moment: Moment) => Change };

function step(state: SessionState, logged: LoggedEvent, grow: Growth): SessionState {
  const { seq, at, event } = logged;
  if (seq <= state.lastSeq) return state;
  const handler = Object.hasOwn(handlers, event.kind) ? (handlers[event.kind] as Handlers[Kind]) : undefined;
  const change = handler?.(state, event as never, { seq, at, grow });
  return { ...state, ...change, lastSeq: seq, lastAt: at };
}

const handlers: Handlers = {
  'session.created'(state, { root, system, tools, model, mode, version, rules = [], forkOf, parent, budget }) {
    const created = { root, system, tools, model, mode, version, rules, forkOf, parent };
    return { created, model, mode, budget: budgetFrom(state.budget, budget) };
  },
  'turn.started': ({ budget }, event, { at }) => ({
    turn: startTurn(event, at),
    budget: budgetFrom(budget, event.budget),
  }),
  'turn.resumed': (state, event, { at }) => ({ turn: resumeTurn(state.turn, event, at) }),
  'message.submitted'(state, { turnId, text, facts, handed, images, promptId }, { seq, grow }) {
    return {
      items: grow.push<TranscriptItem>(state.items, {
        kind: 'message',
        seq,
        turnId,
        text,
        facts,
        handed: handed?.texts,
        images,
      }),
      known: grow.put(state.known, knownFromMessage(handed)),
      seen: grow.put(state.seen, seenInMessage(handed)),
      queue: withoutPrompt(state.queue, promptId),
      toldFolder: folderInFacts(facts) ?? state.toldFolder,
      paused: false,
      turn: gotFurther(state.turn, turnId),
    };
  },
  'prompt.queued': (state, event, { at }) => ({ queue: queuePrompt(state.queue, event, at) }),
  'prompt.changed': (state, event) => ({ queue: changePrompt(state.queue, event) }),
  'prompt.removed': (state, { promptId }) => ({ queue: withoutPrompt(state.queue, promptId) }),
  'mode.changed': (_state, { mode }) => ({ mode }),
  'model.chosen': (state, { model }) => chosenAfter(state, model),
  // What another model failed at says nothing of this one.
  'model.changed': ({ turn }, { model }) => ({
    model,
    chosenModel: undefined,
    // So does what another one refused.
    refusedImages: noneRefused,
    turn: turn && { ...turn, failing: undefined },
  }),
  'request.started'(state, { requestId, turnId, model, attempt, bytes, purpose, segments, covers }, { at }) {
    const own = purpose === undefined ? 1 : 0;
    const turn = inTurn(state.turn, turnId, (running) => ({ attempts: running.attempts + own }));
    const compactions = purpose === 'compaction' ? triedToCompact(state.compactions) : state.compactions;
    const toldMode = purpose === undefined ? (state.toldMode ?? state.mode) : state.toldMode;
    const share = covers === undefined ? fixedShare(segments) : undefined;
    const openRequest = { requestId, turnId, model, attempt, startedAt: at, bytes, fixedShare: share, purpose };
    return { turn, compactions, toldMode, openRequest };
  },
  'request.failed'(state, { requestId, turnId, failure, retryAt, usage }) {
    const fixedUses = fixedAfter(state, requestId, false, usage);
    if (openedBeside(state, requestId)) return { openRequest: undefined, fixedUses };
    const turn = inTurn(state.turn, turnId, (running) => ({
      failing: { times: (running.failing?.times ?? 0) + 1, failure, retryAt },
    }));
    return { turn, openRequest: without(state.openRequest, requestId), fixedUses };
  },
  'assistant.finished': (state, event, moment) => ({
    ...answer(state, event, moment),
    fixedUses: fixedAfter(state, event.requestId, true, event.usage),
  }),
  'toolCall.started'(state, { callId }, { at }) {
    return { openCalls: changeCall(state.openCalls, callId, (call) => ({ ...call, startedAt: at })) };
  },
  'toolCall.finished': result,
  'approval.requested': (state, event, { at }) => requestApproval(state, event, at),
  'approval.answered': (state, event, { grow }) => answerApproval(state, event, grow),
  'question.asked': (state, event, { at }) => askQuestion(state, event, at),
  'question.answered': (state, event, { grow }) => answerQuestion(state, event, grow),
  'notes.changed': (state, event) => ({ memory: changeNotes(state.memory, event) }),
  'todo.changed': (state, event) => ({ memory: changeTodo(state.memory, event, state.compactions.answered) }),
  'subagent.started'(state, { callId, sessionId, title }) {
    // A result that is there already needs nobody's work.
    const works = state.openCalls.some((call) => call.callId === callId);
    return works ? { subagents: [...state.subagents, { callId, sessionId, title }] } : {};
  },
  'job.started': (state, event, { at, grow }) => ({ jobs: grow.put(state.jobs, startJob(event, at)) }),
  'job.finished': (state, event, { at, grow }) => ({ jobs: grow.put(state.jobs, finishJob(state.jobs, event, at)) }),
  // Its consequences are events of their own.
  'wait.expired': () => ({}),
  // What it needs is the daemon's to know at each moment.
  'prompt.held': () => ({}),
  'context.trimmed'(state, event, { seq, grow }) {
    const { rules } = splitRules(event.note, event.rules);
    const note: TranscriptItem = { kind: 'note', seq, turnId: event.turnId, text: event.note, rules };
    return { items: grow.push(state.items, note), trims: addTrim(state.trims, event, seq) };
  },
  'images.refused': (state, event) => ({ refusedImages: refuseImages(state.refusedImages, event) }),
  'cache.warned': (state, { model }, { grow }) => ({ cacheWarned: grow.add(state.cacheWarned, [model]) }),
  'budget.raised': ({ budget }, event) => ({ budget: raiseBudget(budget, event) }),
  'budget.warned': ({ budget }, { model }) => ({ budget: warnedOf(budget, model) }),
  'context.measured': (state) => ({ trims: measureTrim(state.trims) }),
  'context.compacted': (state, event, { seq }) => ({
    ...compacted(state, event, seq),
    turn: gotFurther(state.turn, event.turnId),
  }),
  'reminder.added'(state, { turnId, text, about }, { seq, grow }) {
    return {
      items: grow.push<TranscriptItem>(state.items, { kind: 'reminder', seq, turnId, text, about: about.kind }),
      told:
        about.kind === 'filesChanged' ? grow.put(state.told, toldAfterReminder(state.told, about.files)) : state.told,
      jobs: about.kind === 'jobsEnded' ? grow.put(state.jobs, tellJobs(state.jobs, about.jobIds)) : state.jobs,
      rulesTold: about.kind === 'rulesChanged' ? grow.put(state.rulesTold, toldRules(about.files)) : state.rulesTold,
      serversTold:
        about.kind === 'outsideTools'
          ? grow.put(state.serversTold, toldAfterServers(state.serversTold, about.servers, seq))
          : state.serversTold,
      memory: remindedOfMemory(state.memory, about.kind, state.compactions.answered),
      toldMode: about.kind === 'modeChanged' ? about.mode : state.toldMode,
      toldFolder: about.kind === 'folderMoved' ? about.folder : state.toldFolder,
    };
  },
  'turn.finished'(state, { turnId, outcome }, { grow }) {
    return {
      turn: state.turn?.turnId === turnId ? undefined : state.turn,
      paused: state.paused || outcome !== 'done',
      openRequest: state.openRequest?.turnId === turnId ? undefined : state.openRequest,
      ...closeApprovals(state, grow, (pending) => pending.turnId === turnId),
      ...closeQuestions(state, grow, (pending) => pending.turnId === turnId),
    };
  },
};

function answer(state: SessionState, event: EventOf<'assistant.finished'>, { seq, at, grow }: Moment): Change {
  const { requestId, turnId, content, stopReason, usage, responseId } = event;
  const open = state.openRequest?.requestId === requestId ? state.openRequest : undefined;
  if (open?.purpose !== undefined) return answerBeside(state, open);
  const model = open?.model ?? state.model;
  const request: AnsweredRequest = { requestId, at, model, usage, startedAt: open?.startedAt ?? at, responseId };
  const calls = callsOf(event).filter((call) => !state.usedCallIds.has(call.callId));
  return {
    turn: inTurn(state.turn, turnId, (running) => ({
      requests: running.requests + 1,
      failing: undefined,
      resumedAt: [],
    })),
    openRequest: without(state.openRequest, requestId),
    items: grow.push<TranscriptItem>(state.items, {
      kind: 'answer',
      seq,
      turnId,
      requestId,
      model,
      content,
      stopReason,
    }),
    openCalls: calls.length === 0 ? state.openCalls : [...state.openCalls, ...calls],
    usedCallIds: grow.add(
      state.usedCallIds,
      calls.map((call) => call.callId),
    ),
    lastRequest: request,
    requests: grow.push(state.requests, request),
    compactions: afterAnswer(state.compactions),
  };
}

function fixedAfter(
  { openRequest, fixedUses }: SessionState,
  requestId: RequestId,
  answered: boolean,
  usage: Usage | undefined,
): FixedUses {
  if (openRequest?.requestId !== requestId || openRequest.fixedShare === undefined) return fixedUses;
  return useFixed(fixedUses, { ...openRequest, fixedShare: openRequest.fixedShare, answered, usage });
}

function openedBeside({ openRequest }: SessionState, requestId: RequestId): boolean {
  return openRequest?.requestId === requestId && openRequest.purpose !== undefined;
}

/** Nothing of it enters the conversation; the provider has used its cache, as if the last request had been sent again. */
function answerBeside({ lastRequest, requests }: SessionState, { purpose, startedAt }: OpenRequest): Change {
  if (purpose !== 'keepWarm' || lastRequest === undefined) return { openRequest: undefined };
  const warmed: AnsweredRequest = { ...lastRequest, startedAt };
  return { openRequest: undefined, lastRequest: warmed, requests: [...requests.slice(0, -1), warmed] };
}

/** The calls of an answer, each id once. */
function callsOf({ turnId, content }: EventOf<'assistant.finished'>): readonly OpenCall[] {
  const calls = new Map<CallId, OpenCall>();
  for (const block of content) {
    if (block.kind !== 'toolCall' || calls.has(block.callId)) continue;
    const { callId, name, inputJson, broken } = block;
    calls.set(callId, {
      callId,
      turnId,
      name,
      inputJson,
      broken,
      startedAt: undefined,
      approval: undefined,
      answered: undefined,
    });
  }
  return [...calls.values()];
}

function result(state: SessionState, event: EventOf<'toolCall.finished'>, { seq, grow }: Moment): Change {
  const { turnId, callId, outcome, archiveId, leansOn, nothingNew, files = [], images } = event;
  const { body, rules } = splitRules(event.shown, event.rules);
  const call = state.openCalls.find((open) => open.callId === callId);
  if (call === undefined) return {};
  const known = knownAfter(state.known, event);
  const touched = touchedBy(event);
  const item: TranscriptItem = {
    kind: 'toolResult',
    seq,
    turnId,
    callId,
    name: call.name,
    outcome,
    shown: body,
    archiveId,
    leansOn,
    nothingNew,
    touched,
    rules,
    images,
  };
  return {
    items: grow.push(state.items, item),
    openCalls: state.openCalls.filter((open) => open !== call),
    turn: outcome === 'unknown' || outcome === 'interrupted' ? state.turn : gotFurther(state.turn, turnId),
    seen: grow.put(
      state.seen,
      files.map((file) => [file.path, file] as const),
    ),
    known: grow.put(state.known, known),
    told: grow.put(state.told, toldAfterResult(state.told, files)),
    subagents: state.subagents.filter((subagent) => subagent.callId !== callId),
    ...closeApprovals(state, grow, (pending) => pending.callId === callId),
    ...closeQuestions(state, grow, (pending) => pending.callId === callId),
  };
}

function toldRules(files: readonly { readonly path: string; readonly hash?: string | undefined }[]) {
  return files.map(({ path, hash }) => [path, hash] as const);
}

function touchedBy({ files = [], reads = [] }: EventOf<'toolCall.finished'>): readonly string[] | undefined {
  const paths = new Set([...files, ...reads].map(({ path }) => path));
  return paths.size === 0 ? undefined : [...paths];
}

function without(open: OpenRequest | undefined, requestId: RequestId): OpenRequest | undefined {
  return open?.requestId === requestId ? undefined : open;
}
