/** The events of what goes on around a conversation: waiting prompts, questions, notes, sub-agents, jobs and waits. */
import { z } from 'zod';
import { spendingLimitSchema } from './cost-events.ts';
import {
  archiveIdSchema,
  callIdSchema,
  jobIdSchema,
  promptIdSchema,
  questionIdSchema,
  sessionIdSchema,
  turnIdSchema,
} from './ids.ts';
import { imageSchema } from './image.ts';

export const notesSchema = z
  .object({
    goal: z.string().optional(),
    decisions: z.string().optional(),
    done: z.string().optional(),
    next: z.string().optional(),
  })
  .describe('What is kept in mind for the whole of the work, by section; an absent section is empty.');
export type Notes = z.infer<typeof notesSchema>;

export const needsSchema = z
  .object({ code: z.string().describe('A name of the error table.'), message: z.string() })
  .describe('What a waiting prompt needs to begin, and what to do for it.');
export type Needs = z.infer<typeof needsSchema>;

export const jobOutcomeSchema = z
  .enum(['exited', 'killed', 'stopped', 'timedOut', 'lost'])
  .describe(
    '`exited`: by itself, with `exitCode`; `killed`: by a signal from elsewhere; `stopped`: when asked to; `timedOut`: at its limit; `lost`: how it ended is not known.',
  );
export type JobOutcome = z.infer<typeof jobOutcomeSchema>;

const by = z.enum(['model', 'user']).describe('Who changed it.');

export const workEvents = [
  z
    .object({
      kind: z.literal('prompt.queued'),
      promptId: promptIdSchema,
      text: z.string(),
      steers: turnIdSchema
        .optional()
        .describe(
          'It is for this running turn, before its next request; absent, or when that has ended: for a turn of its own.',
        ),
      headless: z.boolean().optional().describe('Of the turn that it begins, as all that follows: nobody can answer.'),
      maxRequests: z.int().optional().describe('Requests that it may make.'),
      budget: spendingLimitSchema
        .optional()
        .describe('What the session may spend in all, with its sub-agents, from then on.'),
      model: z.string().optional().describe('From then on another model answers.'),
      images: z.array(imageSchema).optional().describe('They go with the text.'),
    })
    .describe('The user said something that waits until it can be submitted.'),
  z
    .object({
      kind: z.literal('prompt.changed'),
      promptId: promptIdSchema,
      text: z.string(),
      images: z.array(imageSchema).optional().describe('All that go with the new text; absent: none.'),
    })
    .describe('A waiting prompt has another text.'),
  z
    .object({ kind: z.literal('prompt.removed'), promptId: promptIdSchema, reason: z.string().optional() })
    .describe('A waiting prompt was taken back.'),
  z
    .object({ kind: z.literal('prompt.held'), promptId: promptIdSchema, needs: needsSchema })
    .describe('A prompt whose turn had come could not begin. It waits on, and is tried again when that may help.'),
  z
    .object({
      kind: z.literal('question.asked'),
      turnId: turnIdSchema,
      questionId: questionIdSchema,
      callId: callIdSchema.optional().describe('The call by which the model asks; absent: zerd itself asks.'),
      about: z
        .enum(['retry', 'budget', 'key'])
        .optional()
        .describe('Why zerd itself asks: whether to try again, to spend more, or for the key of a provider.'),
      text: z.string(),
      options: z.array(z.string()).optional().describe('Answers to choose from; another one may be given too.'),
    })
    .describe('The turn waits for an answer of the user.'),
  z
    .object({
      kind: z.literal('question.answered'),
      turnId: turnIdSchema,
      questionId: questionIdSchema,
      answer: z.string().optional().describe('Absent: there is none, `reason` says why.'),
      reason: z.string().optional(),
      by: z.string().optional().describe('The name of the client that answered.'),
    })
    .describe('The first answer to a question; it holds.'),
  z
    .object({ kind: z.literal('notes.changed'), turnId: turnIdSchema.optional(), by, notes: notesSchema })
    .describe('The notes of the session as they are from now on.'),
  z
    .object({
      kind: z.literal('todo.changed'),
      turnId: turnIdSchema.optional(),
      by,
      list: z.string().describe('One `[ ] step` a line; `[>]` is being done, `[x]` is done.'),
    })
    .describe('The list of steps as it is from now on.'),
  z
    .object({
      kind: z.literal('subagent.started'),
      turnId: turnIdSchema,
      callId: callIdSchema,
      sessionId: sessionIdSchema,
      title: z.string(),
    })
    .describe('A session of its own works for this call; its answer becomes the result.'),
  z
    .object({
      kind: z.literal('job.started'),
      turnId: turnIdSchema,
      callId: callIdSchema,
      jobId: jobIdSchema,
      command: z.string(),
    })
    .describe('A command that still runs goes on in the background.'),
  z
    .object({
      kind: z.literal('job.finished'),
      jobId: jobIdSchema,
      outcome: jobOutcomeSchema,
      exitCode: z.int().optional(),
      signal: z.string().optional(),
      durationMs: z.int().optional(),
      bytes: z.int().describe('Of its whole output.'),
      archiveId: archiveIdSchema.optional().describe('Its output.'),
      alive: z.int().optional().describe('Processes that it started and that outlive it.'),
      reason: z.string().optional(),
    })
    .describe('A job is over.'),
  z
    .object({
      kind: z.literal('wait.expired'),
      turnId: turnIdSchema.optional(),
      for: z.string().describe('What was waited for, as it was shown.'),
      afterMs: z.int(),
      reason: z.string(),
    })
    .describe('A wait passed its deadline and was ended.'),
] as const;
