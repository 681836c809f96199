/** Rows of sessions: making, reading, following, changing and removing them. */
import { z } from 'zod';
import { sessionEventSchema } from '../event.ts';
import { sessionIdSchema, turnIdSchema } from '../ids.ts';
import { runningJobs } from '../job-shapes.ts';
import { modeSchema } from '../mode.ts';
import { needsSchema } from '../work-events.ts';
import { after, at, done, forThisTime, nothing, seq, spending } from './fields.ts';
import { request } from './row.ts';
import {
  openWaits,
  pendingApprovalSchema,
  pendingQuestionSchema,
  sessionRowSchema,
  waitingPromptSchema,
} from './session-shapes.ts';

/** How a session stands, beside its events. */
const sessionNow = {
  session: sessionRowSchema,
  pendingApprovals: z.array(pendingApprovalSchema),
  pendingQuestions: z.array(pendingQuestionSchema).optional(),
  jobs: runningJobs,
  waits: openWaits,
  turnId: turnIdSchema.optional().describe('The turn that runs, or waits for something; absent: none.'),
  queue: z.array(waitingPromptSchema).optional().describe('What waits to be submitted, in order.'),
  queuePaused: z
    .boolean()
    .optional()
    .describe('Nothing of it begins before the user does something: the last turn did not end well, or `queueNeeds`.'),
  queueNeeds: needsSchema.optional(),
};

export const sessionMethods = {
  'session/create': request(
    'daemon',
    'Starts a session in this repository and freezes its system text and tools.',
    z.strictObject({
      model: z.string().optional().describe('provider/model; absent: the default of the configuration.'),
      mode: modeSchema.optional().describe('Absent: ask.'),
      ...spending,
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
      ...sessionNow,
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
      ...sessionNow,
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
    'Changes what the session may do without asking; what it was asked about and now may is granted.',
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
  'session/rewind': request(
    'session',
    'Goes back to an earlier point: puts the files back that tools changed since, as far as nothing else changed them, and makes a fork that ends there. The session stays as it is, and what a file held is archived. Refused while a turn of it runs.',
    z.strictObject({
      sessionId: sessionIdSchema,
      turns: z
        .int()
        .positive()
        .optional()
        .describe('How many of the newest turns with a message are taken back; absent: one.'),
      atSeq: z.int().positive().optional().describe('In place of `turns`: the last event that stays.'),
      force: z.boolean().optional().describe('Files that something else changed are put back too.'),
      preview: z.boolean().optional().describe('Nothing is changed: the answer says what would be.'),
    }),
    z.object({
      sessionId: sessionIdSchema.optional().describe('The fork; absent in a preview.'),
      seq: seq.describe('The last event that stays.'),
      text: z.string().optional().describe('The first message that is taken back.'),
      files: z.array(
        z.object({
          path: z.string(),
          outcome: z
            .enum(['put back', 'removed', 'as before', 'changed', 'unknown', 'failed'])
            .describe(
              '`changed`: it stays, something else changed it too. `unknown`: it stays, what it held is not known. `failed`: `message` says why.',
            ),
          message: z.string().optional(),
          back: z.string().optional().describe('The archive id of what it held at that point.'),
          was: z.string().optional().describe('The archive id of what was there until now.'),
        }),
      ),
      commands: z.int().describe('Commands that ran since: what they changed is not taken back.'),
      runningJobs: z
        .int()
        .optional()
        .describe('Commands of these that still run as jobs of the session that stays, and may change files.'),
      lostAgents: z
        .int()
        .optional()
        .describe('Sub-agents that worked since and whose sessions were removed: what they changed is not known.'),
    }),
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
  'session/delete': request(
    'session',
    'Removes a session, the sub-agents that worked for it and what only they had archived, for good. What it cost stays counted. Refused while a turn of it runs.',
    z.strictObject({
      sessionId: sessionIdSchema,
      onlyUnused: z
        .boolean()
        .optional()
        .describe('Only when nobody said anything in it and no other client follows it; else it stays.'),
    }),
    z.object({ deleted: z.array(sessionIdSchema).describe('Empty: it is in use, and stays.') }),
  ),
} as const;
