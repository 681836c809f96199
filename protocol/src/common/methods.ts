/**
 * The contract as data: every method with its direction, scope, parameters, result and one sentence. Types, JSON Schema
 * and the reference are generated from this table. A method enters it in the change that builds its handler.
 */
import { z } from 'zod';
import { forecastSchema, sessionCostSchema, totalsSchema } from './cost-shapes.ts';
import { sessionEventSchema } from './event.ts';
import {
  approvalIdSchema,
  archiveIdSchema,
  callIdSchema,
  jobIdSchema,
  promptIdSchema,
  questionIdSchema,
  requestIdSchema,
  sessionIdSchema,
  turnIdSchema,
} from './ids.ts';
import { jobReadParams, jobReadResult, jobSchema, runningJobs } from './job-shapes.ts';
import { modeSchema } from './mode.ts';
import { picoSumSchema } from './money.ts';
import { checkSchema, findResultSchema, indexReportSchema, searchParamsSchema, searchResultSchema } from './search.ts';
import { notesSchema } from './work-events.ts';

/** Requests that name the same scope run one after the other: `session` by sessionId, `daemon` all together. */
export type Scope = 'none' | 'session' | 'daemon';

export interface MethodRow<P extends z.ZodType, R extends z.ZodType> {
  readonly direction: 'toDaemon' | 'toClient';
  readonly scope: Scope;
  readonly params: P;
  /** Absent for notifications (all of direction `toClient` are). */
  readonly result: R;
  readonly says: string;
}

function request<P extends z.ZodType, R extends z.ZodType>(scope: Scope, says: string, params: P, result: R) {
  return { direction: 'toDaemon', scope, params, result, says } as const satisfies MethodRow<P, R>;
}

function notice<P extends z.ZodType>(says: string, params: P) {
  return { direction: 'toClient', scope: 'none', params, result: z.void(), says } as const satisfies MethodRow<
    P,
    z.ZodVoid
  >;
}

const nothing = z.strictObject({});
const done = z.object({});
const seq = z.int().nonnegative().describe('Counts the events of a session from 1, without holes.');
const after = seq.optional().describe('The last event that is known; absent: none, so all are given.');
const at = z.int().describe('Milliseconds of the epoch.');
const range = z.object({ min: z.int(), max: z.int() });
const forThisTime = z.boolean().optional().describe('Trusts the repository this once.');

export const sessionRowSchema = z.object({
  sessionId: sessionIdSchema,
  createdAt: at,
  updatedAt: at,
  lastSeq: seq,
  title: z.string().describe('The first line of the first message, shortened.'),
  model: z.string(),
  mode: modeSchema,
  state: z.enum(['idle', 'running', 'waiting']),
  requests: z.int(),
  costPico: picoSumSchema.describe(
    'Of all priced requests, in pico-dollars: whole up to 2^53, about $9,007; beyond that the nearest double.',
  ),
  unpricedRequests: z.int(),
  parentId: sessionIdSchema.optional().describe('The session that this one works for as a sub-agent.'),
  forkOf: z
    .object({ sessionId: sessionIdSchema, seq })
    .optional()
    .describe('The session that it was forked from, and up to which event.'),
  queued: z.int().optional().describe('Prompts that wait to be submitted; absent: none.'),
});

export const pendingApprovalSchema = z.object({
  approvalId: approvalIdSchema,
  turnId: turnIdSchema,
  tool: z.string(),
  asks: z.string().describe('The whole of what is asked.'),
  digest: z.string().describe('Goes back with the answer: it holds for exactly this call.'),
  sessionId: sessionIdSchema
    .optional()
    .describe('The sub-agent that asks: it is answered in that session. Absent: the session itself.'),
});

export const pendingQuestionSchema = z.object({
  questionId: questionIdSchema,
  turnId: turnIdSchema,
  callId: callIdSchema.optional().describe('The call by which the model asks; absent: zerd itself asks.'),
  about: z.enum(['retry', 'budget', 'key']).optional().describe('Why zerd itself asks.'),
  text: z.string(),
  options: z.array(z.string()).describe('Answers to choose from; another one may be given too.'),
  askedAt: at,
  sessionId: sessionIdSchema.optional().describe('The sub-agent that asks: it is answered there.'),
});

export const waitingPromptSchema = z.object({
  promptId: promptIdSchema,
  text: z.string(),
  queuedAt: at,
  steers: turnIdSchema.optional().describe('It goes to this running turn, before its next request.'),
});

export const waitSchema = z.object({
  for: z.string().describe("What is waited for, as shown: 'first event from sim/sim'."),
  sessionId: sessionIdSchema.optional(),
  sinceAt: at,
  deadlineAt: at.optional(),
});

const openWaits = z
  .array(waitSchema)
  .optional()
  .describe('What the session waits for, each with its deadline; absent: an older daemon, which does not say.');

export const promptOutlineSchema = z
  .object({
    system: z.object({ bytes: z.int(), about: z.string() }),
    tools: z.array(z.object({ name: z.string(), bytes: z.int() })),
    messages: z.array(
      z.object({
        role: z.enum(['user', 'assistant']),
        blocks: z.array(
          z.object({
            kind: z.enum(['text', 'summary', 'reasoning', 'toolCall', 'toolResult']),
            bytes: z.int(),
            about: z.string().describe('What it begins with, within a cap.'),
            callId: callIdSchema.optional(),
            number: z.int().optional().describe('The how many-th call of the session, as results name it.'),
            stub: z.boolean().optional().describe('A trim left only an excerpt; the whole is in the archive.'),
            marked: z.boolean().optional().describe('A cache entry is wished at its end.'),
          }),
        ),
      }),
    ),
  })
  .describe('What a prompt holds; bytes are those of the texts, without what frames them on the wire.');
export type PromptOutline = z.infer<typeof promptOutlineSchema>;

export const modelSchema = z.object({
  id: z.string(),
  wire: z.enum(['anthropic', 'responses', 'chat']),
  contextWindow: z.int().nullable(),
  priced: z.boolean(),
  cacheMs: z
    .int()
    .optional()
    .describe('How long its provider keeps a prompt that is not used, in milliseconds; at least so long.'),
  ready: z.boolean().describe("Whether a key is at hand for this session's client."),
});

const keptNotesSchema = z.object({
  notes: notesSchema,
  todo: z.string().describe('The list of steps.'),
  file: z
    .string()
    .describe('Markdown; it is there once something is kept, and changes are taken over with the next turn.'),
});

export const methods = {
  initialize: request(
    'none',
    'Opens the connection: agrees on a protocol version and hands over the environment that sessions of this client use.',
    z.strictObject({
      protocol: range,
      client: z.object({ name: z.string(), version: z.string() }),
      env: z
        .record(z.string(), z.string())
        .optional()
        .describe(
          "The client's environment: tools of its sessions run in it; provider keys are taken from it, in memory only.",
        ),
    }),
    z.object({
      protocol: z.int(),
      daemon: z.object({ version: z.string(), pid: z.int() }),
      root: z.string(),
      epoch: z.string(),
    }),
  ),
  'session/create': request(
    'daemon',
    'Starts a session in this repository and freezes its system text and tools.',
    z.strictObject({
      model: z.string().optional().describe('provider/model; absent: the default of the configuration.'),
      mode: modeSchema.optional().describe('Absent: ask.'),
      trust: forThisTime,
    }),
    z.object({ sessionId: sessionIdSchema, model: z.string(), mode: modeSchema, seq }),
  ),
  'session/list': request(
    'none',
    'Lists the sessions of this repository, newest first.',
    nothing,
    z.object({ sessions: z.array(sessionRowSchema) }),
  ),
  'session/read': request(
    'none',
    'Reads a session: its row, its pending approvals and its events after `after`, at most `limit` of them.',
    z.strictObject({
      sessionId: sessionIdSchema,
      after,
      limit: z.int().positive().max(10_000).optional(),
    }),
    z.object({
      session: sessionRowSchema,
      pendingApprovals: z.array(pendingApprovalSchema),
      pendingQuestions: z.array(pendingQuestionSchema).optional(),
      jobs: runningJobs,
      waits: openWaits,
      queue: z.array(waitingPromptSchema).optional().describe('What waits to be submitted, in order.'),
      queuePaused: z
        .boolean()
        .optional()
        .describe('Nothing of it begins before the user says something: the last turn did not end well.'),
      events: z.array(z.object({ seq, at, event: sessionEventSchema })),
    }),
  ),
  'session/subscribe': request(
    'none',
    'Sends the events after `after`, then every later one, in order. `syncedAt` is the last event of the replay. With `deltas` also pieces of answers while they are written.',
    z.strictObject({ sessionId: sessionIdSchema, after, deltas: z.boolean().optional() }),
    z.object({
      epoch: z.string(),
      syncedAt: seq.describe('The last event of the replay.'),
      session: sessionRowSchema,
      pendingApprovals: z.array(pendingApprovalSchema),
      pendingQuestions: z.array(pendingQuestionSchema).optional(),
      jobs: runningJobs,
      waits: openWaits,
      queue: z.array(waitingPromptSchema).optional().describe('What waits to be submitted, in order.'),
      queuePaused: z
        .boolean()
        .optional()
        .describe('Nothing of it begins before the user says something: the last turn did not end well.'),
    }),
  ),
  'session/unsubscribe': request(
    'none',
    'Stops the events of a session for this client.',
    z.strictObject({ sessionId: sessionIdSchema }),
    done,
  ),
  'session/setMode': request(
    'session',
    'Changes what the session may do without asking.',
    z.strictObject({ sessionId: sessionIdSchema, mode: modeSchema }),
    done,
  ),
  'session/compact': request(
    'session',
    'Begins to put a summary in the place of the older part of a conversation; answers when that is committed. It runs as a turn without a message: it can be interrupted, and its end comes as an event.',
    z.strictObject({ sessionId: sessionIdSchema, trust: forThisTime }),
    z.object({ turnId: turnIdSchema, seq }),
  ),
  'session/fork': request(
    'session',
    'Makes a session of the same events up to one of them, sharing what the provider has cached. What was open there is closed; nothing is paid again.',
    z.strictObject({
      sessionId: sessionIdSchema,
      atSeq: z.int().positive().optional().describe('The last event of the fork; absent: the newest one.'),
    }),
    z.object({ sessionId: sessionIdSchema, seq }),
  ),
  'session/export': request(
    'none',
    'A session as text, a page at a time: joined, the pages are the whole. `json`: an event a line, as `session/read` gives it; `md`: for people.',
    z.strictObject({ sessionId: sessionIdSchema, format: z.enum(['md', 'json']), after }),
    z.object({
      text: z.string(),
      next: seq.optional().describe('`after` of the next page; absent: this was the last.'),
    }),
  ),
  'model/list': request(
    'none',
    'The models that can be used, with whether the key of each is at hand for this client.',
    nothing,
    z.object({ models: z.array(modelSchema), default: z.string().nullable() }),
  ),
  'model/select': request(
    'session',
    'Lets another model answer from the next turn on. Its provider holds nothing of the conversation: the next request writes all of it.',
    z.strictObject({ sessionId: sessionIdSchema, model: z.string().describe('provider/model') }),
    z.object({ model: z.string() }),
  ),
  'session/delete': request(
    'session',
    'Removes a session, the sub-agents that worked for it and what only they had archived, for good. What it cost stays counted. Refused while a turn of it runs.',
    z.strictObject({ sessionId: sessionIdSchema }),
    z.object({ deleted: z.array(sessionIdSchema) }),
  ),
  'secret/forget': request(
    'daemon',
    'Replaces a text wherever it is kept: events, archived bodies, transcripts, notes, logs. The daemon then starts anew with the next client. Files of the repository are not touched.',
    z.strictObject({ secret: z.string() }),
    z.object({ events: z.int(), bodies: z.int(), files: z.int() }),
  ),
  'turn/start': request(
    'session',
    'Submits a message and starts a turn; answers when both are committed. Progress comes as events.',
    z.strictObject({
      sessionId: sessionIdSchema,
      text: z.string().meta({ examples: ['make the tests pass'] }),
      maxRequests: z.int().positive().optional().describe('Requests that the turn may make; absent: no limit.'),
      headless: z.boolean().optional().describe('Nobody can answer: a question ends the turn.'),
      model: z.string().optional().describe('provider/model, from this turn on; absent: as before.'),
      trust: forThisTime,
    }),
    z.object({ turnId: turnIdSchema, seq }),
  ),
  'turn/steer': request(
    'session',
    'Says something to the running turn: kept at once, and in the conversation before its next request. When that turn ends first, it waits like any other prompt.',
    z.strictObject({
      sessionId: sessionIdSchema,
      expectedTurnId: turnIdSchema.describe('When another turn runs, or none, nothing is kept: unknown_turn.'),
      text: z.string().meta({ examples: ['leave the tests as they are'] }),
      trust: forThisTime,
    }),
    z.object({ promptId: promptIdSchema, seq }),
  ),
  'turn/queue': request(
    'session',
    'Keeps a prompt that begins a turn by itself, in order, when the turns before it have ended well. With `promptId` a waiting one gets another text or, with null, is taken back. With `run` the next one begins, also after a turn that did not end well.',
    z.strictObject({
      sessionId: sessionIdSchema,
      text: z
        .string()
        .nullable()
        .optional()
        .meta({ examples: ['then update the docs'] }),
      promptId: promptIdSchema.optional().describe('A prompt that waits; a later one fails with already_resolved.'),
      run: z.boolean().optional().describe('Begins the next waiting prompt.'),
      maxRequests: z.int().positive().optional().describe('Requests that its turn may make; absent: no limit.'),
      headless: z.boolean().optional().describe('Nobody can answer: a question ends its turn.'),
      model: z.string().optional().describe('provider/model, from its turn on; absent: as before.'),
      trust: forThisTime,
    }),
    z.object({
      promptId: promptIdSchema.optional().describe('The prompt that was kept or changed.'),
      seq: seq.optional(),
      turnId: turnIdSchema.optional().describe('The turn that began with it, or with the prompt before it.'),
      paused: z.boolean().optional().describe('It waits until the user says something.'),
    }),
  ),
  'turn/interrupt': request(
    'none',
    'Ends the running turn within a second, whatever it waits for. Without turnId: whichever turn is running.',
    z.strictObject({ sessionId: sessionIdSchema, turnId: turnIdSchema.optional() }),
    z.object({ interrupted: z.boolean() }),
  ),
  'approval/answer': request(
    'session',
    'Answers a pending approval. The first answer holds; a later one fails with already_resolved.',
    z.strictObject({
      sessionId: sessionIdSchema,
      approvalId: approvalIdSchema,
      digest: z
        .string()
        .describe('As the pending approval has it.')
        .meta({ examples: ['9f86d081884c7d65'] }),
      decision: z.enum(['granted', 'denied']),
      reason: z.string().optional().describe('Told to the model.'),
    }),
    done,
  ),
  'question/answer': request(
    'session',
    'Answers a pending question. The first answer holds; a later one fails with already_resolved.',
    z.strictObject({
      sessionId: sessionIdSchema,
      questionId: questionIdSchema,
      answer: z
        .string()
        .min(1)
        .max(100_000)
        .describe('One of its options, or other words.')
        .meta({ examples: ['yes'] }),
    }),
    done,
  ),
  'trust/read': request(
    'none',
    'Says whether the user trusts this repository.',
    nothing,
    z.object({ root: z.string(), trusted: z.boolean() }),
  ),
  'trust/set': request(
    'daemon',
    'Records that the user trusts this repository, or no longer does.',
    z.strictObject({ trusted: z.boolean() }),
    z.object({ root: z.string(), trusted: z.boolean() }),
  ),
  'cost/read': request(
    'none',
    'Totals of requests, tokens and money, of one session or of the repository; of one session also its misses and what is dear.',
    z.strictObject({
      sessionId: sessionIdSchema.optional().describe('Absent: the whole repository.'),
      requests: z
        .boolean()
        .optional()
        .describe('Whether every request of the session is given, and all that is carried.'),
    }),
    z.object({
      totals: totalsSchema,
      byModel: z.array(z.object({ model: z.string(), totals: totalsSchema })),
      session: sessionCostSchema.optional().describe('Absent: of the whole repository.'),
    }),
  ),
  'cost/forecast': request(
    'none',
    'What the next message would cost on its input side, why, and what could be done instead. Nothing is sent.',
    z.strictObject({
      sessionId: sessionIdSchema,
      text: z.string().optional().describe('The message; absent: an empty one.'),
      model: z
        .string()
        .optional()
        .describe('The model that would answer, as provider/model; absent: that of the session.'),
    }),
    forecastSchema,
  ),
  'context/read': request(
    'none',
    'Exactly what the model sees: the body of the next request, or of a past one.',
    z.strictObject({
      sessionId: sessionIdSchema,
      requestId: requestIdSchema.optional().describe('A past request; absent: the next one.'),
    }),
    z.object({
      model: z.string(),
      body: z.string(),
      bytes: z.int(),
      tokens: z.int().optional().describe('As its provider reported them; of the next one: as expected.'),
      contextWindow: z.int().optional().describe('Of the model, in tokens.'),
      outline: promptOutlineSchema.optional().describe('The same in plain form, block by block.'),
    }),
  ),
  'archive/read': request(
    'none',
    'Reads an archived body, or the bytes of it from `offset`.',
    z.strictObject({
      archiveId: archiveIdSchema,
      offset: z.int().nonnegative().optional().describe('In bytes.'),
      limit: z.int().positive().optional().describe('In bytes.'),
    }),
    z.object({ text: z.string(), offset: z.int(), bytes: z.int(), totalBytes: z.int() }),
  ),
  'search/query': request(
    'none',
    'Searches the contents of files, as ripgrep would; through the index where there is one.',
    searchParamsSchema,
    searchResultSchema,
  ),
  'file/find': request(
    'none',
    'Finds files by what somebody types of their path: letters in order, words separated by spaces.',
    z.strictObject({
      typed: z
        .string()
        .max(1_000)
        .meta({ examples: ['methods ts'] }),
      limit: z.int().positive().max(1_000).optional().describe('Absent: 50.'),
    }),
    findResultSchema,
  ),
  'index/status': request(
    'none',
    'The search index: its size, how fresh it is, why it was built.',
    nothing,
    indexReportSchema,
  ),
  'index/rebuild': request(
    'daemon',
    'Begins to build the search index anew; the old one answers until then. `index/progress` tells how far it is.',
    nothing,
    indexReportSchema,
  ),
  'notes/read': request(
    'session',
    'Reads what a session keeps in mind: its notes, its list of steps, and the file in which both may be changed by hand.',
    z.strictObject({ sessionId: sessionIdSchema }),
    keptNotesSchema,
  ),
  'notes/write': request(
    'session',
    'Changes what a session keeps in mind: given sections and a given list replace the old ones, an empty one goes. The model is told before its next request.',
    z.strictObject({
      sessionId: sessionIdSchema,
      notes: z.strictObject(notesSchema.shape).optional(),
      todo: z.string().optional().describe('One `[ ] step` a line; `[>]` is being done, `[x]` is done.'),
    }),
    keptNotesSchema,
  ),
  'config/read': request(
    'none',
    'The settings in force, without secrets, and what was wrong with the files.',
    nothing,
    z.object({
      file: z.string(),
      model: z.string().nullable(),
      models: z.array(modelSchema),
      warnings: z.array(z.string()),
    }),
  ),
  'job/list': request(
    'none',
    'Lists the commands that run in the background, and those that ended since the daemon began.',
    z.strictObject({ sessionId: sessionIdSchema.optional().describe('Absent: of all sessions.') }),
    z.object({ jobs: z.array(jobSchema) }),
  ),
  'job/read': request(
    'none',
    'Reads the output of a job from `offset` on, while it runs and after its end.',
    jobReadParams,
    jobReadResult,
  ),
  'job/stop': request(
    'none',
    'Ends a job and all that it started, within five seconds.',
    z.strictObject({ jobId: jobIdSchema }),
    z.object({ stopped: z.boolean().describe('Nothing of it is left.') }),
  ),
  'job/write': request(
    'none',
    'Writes to a job that reads from `$JOB_INPUT`. Other commands have no input.',
    z.strictObject({ jobId: jobIdSchema, text: z.string() }),
    z.object({ written: z.boolean(), why: z.string().optional().describe('Why nothing was written.') }),
  ),
  'daemon/status': request(
    'none',
    'Who the daemon is and what it is doing.',
    nothing,
    z.object({
      version: z.string(),
      pid: z.int(),
      root: z.string(),
      startedAt: at,
      upMs: z.int().optional().describe('How long it runs, whatever became of the time of day.'),
      clients: z.int(),
      runningTurns: z.int(),
      runningJobs: z.int().optional(),
      rssBytes: z.int(),
      stateFolder: z.string(),
      logFile: z.string(),
      waits: z.array(waitSchema),
    }),
  ),
  'daemon/handover': request(
    'daemon',
    'Asks an older daemon to make room for a newer one. It ends at once when nobody else needs it; else it says why it stays, and ends when that is over. May come in place of `initialize`, by a client that shares no protocol version with it.',
    z.strictObject({ version: z.string().describe('The release that wants to take over.') }),
    z.object({ stopping: z.boolean(), why: z.string().optional() }),
  ),
  'daemon/doctor': request(
    'none',
    'Looks whether what the daemon works with is in order: one check a room.',
    nothing,
    z.object({ checks: z.array(checkSchema) }),
  ),
  'daemon/shutdown': request(
    'daemon',
    'Stops the daemon. With turns running it refuses unless `force`.',
    z.strictObject({ force: z.boolean().optional() }),
    z.object({ stopping: z.boolean(), runningTurns: z.int() }),
  ),
  'session/event': notice(
    'An event that is committed. `epoch` names the store: another one means that sequence numbers begin anew.',
    z.object({ sessionId: sessionIdSchema, epoch: z.string(), seq, at, event: sessionEventSchema }),
  ),
  'session/delta': notice(
    'A piece of an answer while it is written. May be dropped; the committed event holds all of it.',
    z.object({
      sessionId: sessionIdSchema,
      turnId: turnIdSchema,
      requestId: requestIdSchema,
      channel: z.enum(['text', 'reasoning', 'toolInput']),
      text: z.string(),
    }),
  ),
  'index/progress': notice(
    'The search index is being built, is ready, or its tree can no longer be watched. Every client is told; may be dropped.',
    indexReportSchema,
  ),
  'session/deleted': notice(
    'The session is gone, and so is its subscription.',
    z.object({ sessionId: sessionIdSchema }),
  ),
  'session/gap': notice(
    'The client was too slow and events were withheld: subscribe again after `after`.',
    z.object({ sessionId: sessionIdSchema, after: seq }),
  ),
} as const;

export type MethodTable = typeof methods;
export type MethodName = keyof MethodTable;
export type ClientMethod = {
  [M in MethodName]: MethodTable[M]['direction'] extends 'toDaemon' ? M : never;
}[MethodName];
export type DaemonNotice = Exclude<MethodName, ClientMethod>;
/** What a client sends: defaults not yet filled in. */
export type ParamsOf<M extends MethodName> = z.input<MethodTable[M]['params']>;
/** What a handler receives, validated. */
export type ValidParamsOf<M extends MethodName> = z.output<MethodTable[M]['params']>;
export type ResultOf<M extends MethodName> = z.output<MethodTable[M]['result']>;
/** A handler's answer before branding. */
export type ResultInputOf<M extends MethodName> = z.input<MethodTable[M]['result']>;

export type SessionRow = z.infer<typeof sessionRowSchema>;
export type PendingApproval = z.infer<typeof pendingApprovalSchema>;
export type PendingQuestion = z.infer<typeof pendingQuestionSchema>;
export type WaitingPrompt = z.infer<typeof waitingPromptSchema>;
export type Totals = z.infer<typeof totalsSchema>;
export type SessionCost = z.infer<typeof sessionCostSchema>;
export type Wait = z.infer<typeof waitSchema>;
