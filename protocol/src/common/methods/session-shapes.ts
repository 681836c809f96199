/** What clients are told of a session beside its events: its row, what is asked, what waits. */
import { z } from 'zod';
import {
  approvalIdSchema,
  callIdSchema,
  promptIdSchema,
  questionIdSchema,
  sessionIdSchema,
  turnIdSchema,
} from '../ids.ts';
import { modeSchema } from '../mode.ts';
import { picoSumSchema } from '../money.ts';
import { at, seq } from './fields.ts';

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
  always: z
    .array(z.string())
    .optional()
    .describe('The commands that may be allowed for good with it, as rules. Absent: nothing can.'),
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
  blocks: z
    .literal(true)
    .optional()
    .describe('Nothing of its session goes on before somebody does something: the disk is full.'),
});

export const openWaits = z
  .array(waitSchema)
  .optional()
  .describe(
    'What the session waits for, each with its deadline, what holds up the rest first; absent: an older daemon, which does not say.',
  );
