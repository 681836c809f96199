/**
 * What happened in a session, in the past tense: the log is the truth (I1) and everything else is a fold of it.
 * A kind is never removed or given another meaning; new fields are optional, so that every log of the past still reads.
 */
import { z } from 'zod';
import { contextEvents } from './context-events.ts';
import { answerCostFields, costEvents, estimateSchema, ratesSchema, spendingLimitSchema } from './cost-events.ts';
import {
  approvalIdSchema,
  archiveIdSchema,
  callIdSchema,
  jobIdSchema,
  promptIdSchema,
  requestIdSchema,
  sessionIdSchema,
  turnIdSchema,
} from './ids.ts';
import { imageSchema } from './image.ts';
import { modeSchema } from './mode.ts';
import { rulesFileSchema } from './rules-file.ts';
import { usageSchema } from './usage.ts';
import { workEvents } from './work-events.ts';

export const assistantBlockSchema = z
  .discriminatedUnion('kind', [
    z.object({ kind: z.literal('text'), text: z.string() }).describe('What the model says.'),
    z
      .object({
        kind: z.literal('toolCall'),
        callId: callIdSchema,
        name: z.string(),
        inputJson: z
          .string()
          .describe("The arguments exactly as received. When they were not a JSON object, '{}' and `broken` says why."),
        broken: z.string().optional(),
      })
      .describe('A tool that the model calls.'),
    z
      .object({ kind: z.literal('opaque'), wire: z.string(), json: z.string() })
      .describe('Something only the wire that made it understands (reasoning): goes back unmodified, in place.'),
  ])
  .describe('One block of an answer, in the order in which the model gave them.');
export type AssistantBlock = z.infer<typeof assistantBlockSchema>;

export const stopReasonSchema = z
  .enum(['end', 'toolUse', 'maxTokens', 'refusal', 'pause', 'contextFull', 'other'])
  .describe('Why the model stopped.');
export type StopReason = z.infer<typeof stopReasonSchema>;

export const segmentSchema = z
  .object({ name: z.string(), hash: z.string(), bytes: z.int() })
  .describe('A part of a request as it was sent: which, its SHA-256 (first 16 hex digits) and its bytes.');
export type Segment = z.infer<typeof segmentSchema>;

export const seenFileSchema = z
  .object({
    path: z.string(),
    hash: z.string(),
    how: z.enum(['read', 'written']),
    before: z
      .string()
      .nullable()
      .optional()
      .describe(
        'What was there before it was written: its SHA-256, by which the archive has it; null: there was no such file. Absent: not known.',
      ),
    madeFolders: z
      .int()
      .optional()
      .describe('How many of the folders around it were made for it, the innermost first; absent: none.'),
  })
  .describe(
    'A file as the model saw it (`read`) or left it (`written`): the path relative to the root, SHA-256 of its bytes.',
  );
export type SeenFile = z.infer<typeof seenFileSchema>;

export const shownLinesSchema = z
  .object({
    path: z.string(),
    hash: z.string(),
    lines: z.int(),
    firstLine: z.int(),
    lastLine: z.int(),
    by: z
      .array(callIdSchema)
      .optional()
      .describe('The calls that show them together, by result or arguments; absent: this one alone, by its result.'),
    overtaken: z
      .boolean()
      .optional()
      .describe(
        'The file changed elsewhere since those calls, and the transcript does not show how: the lines stand, but a further change cannot be told against what these calls show.',
      ),
  })
  .describe(
    'Lines of a file that the transcript shows, whole and in a row: `firstLine` to `lastLine` (from 1) of the `lines` of the content `hash`. The path is relative to the root; `archive:<id>` is an archived body.',
  );
export type ShownLines = z.infer<typeof shownLinesSchema>;

export const failureSchema = z
  .object({
    code: z.string().describe('A name of the error table, `interrupted` or `needs_answer`.'),
    message: z.string(),
    status: z.int().optional().describe('The HTTP status that the provider answered.'),
  })
  .describe('Why something did not succeed.');
export type Failure = z.infer<typeof failureSchema>;

export const toolOutcomeSchema = z
  .enum(['ok', 'failed', 'denied', 'interrupted', 'unknown'])
  .describe(
    '`unknown`: it had begun when the daemon died, or it writes and was not waited for any longer; it is never run again.',
  );
export type ToolOutcome = z.infer<typeof toolOutcomeSchema>;

export const turnOutcomeSchema = z
  .enum(['done', 'failed', 'interrupted', 'limit', 'needs-answer'])
  .describe(
    '`limit`: a limit that the user set, or the output limit of the model; `needs-answer`: a question that nobody could answer.',
  );
export type TurnOutcome = z.infer<typeof turnOutcomeSchema>;

export const handedFilesSchema = z
  .object({ texts: z.array(z.string()), reads: z.array(shownLinesSchema) })
  .describe(
    'Files that a sub-agent is handed with its task: the texts, a block each, stand in front of the message; `reads` says which lines they show.',
  );
export type HandedFiles = z.infer<typeof handedFilesSchema>;

export const sessionEventSchema = z.discriminatedUnion('kind', [
  z
    .object({
      kind: z.literal('session.created'),
      root: z.string(),
      model: z.string(),
      mode: modeSchema,
      system: z.string().describe('The exact system text of every prompt of this session.'),
      tools: z
        .string()
        .describe('The exact tool declarations as JSON text: an array of {name, description, inputSchema}.'),
      version: z.string(),
      rules: z.array(rulesFileSchema).optional().describe('The files of rules whose text is part of `system`.'),
      budget: spendingLimitSchema
        .optional()
        .describe('What the session may spend in all, with its sub-agents; absent: the limit of the configuration.'),
      forkOf: z
        .object({
          sessionId: sessionIdSchema,
          seq: z.int(),
          origin: sessionIdSchema
            .optional()
            .describe('The session in which this line of forks began; absent: `sessionId` itself.'),
        })
        .optional()
        .describe('The events 2 to `seq` are copies of those of that session: they are not paid again.'),
      parent: z
        .object({ sessionId: sessionIdSchema, callId: callIdSchema, title: z.string(), depth: z.int() })
        .optional()
        .describe('The session works for this call of another one: a sub-agent. `depth` counts from 1.'),
    })
    .describe('The first event of a session: what it works in and what stays the same for ever.'),
  z
    .object({
      kind: z.literal('turn.started'),
      turnId: turnIdSchema,
      maxRequests: z.int().optional().describe('Requests that this turn may make; absent: no limit.'),
      headless: z.boolean().optional().describe('Nobody can answer: a question ends the turn.'),
      budget: spendingLimitSchema
        .optional()
        .describe(
          'What the session may spend in all, with its sub-agents, from this turn on; absent: the limit before it stands.',
        ),
      work: z
        .enum(['compaction'])
        .optional()
        .describe('What it does in place of answering: the user asked for a summary of the conversation.'),
    })
    .describe('A turn began.'),
  z
    .object({ kind: z.literal('turn.resumed'), turnId: turnIdSchema, reason: z.string() })
    .describe('A turn that the end of a daemon left open goes on. Calls that had begun have their results by then.'),
  z
    .object({
      kind: z.literal('message.submitted'),
      turnId: turnIdSchema,
      text: z.string(),
      facts: z.string().optional().describe('Facts of the moment (folder, date, git), sent in front of the text.'),
      handed: handedFilesSchema.optional(),
      images: z.array(imageSchema).optional().describe('In front of the text.'),
      promptId: promptIdSchema.optional().describe('The waiting prompt that this was: it waits no longer.'),
    })
    .describe(
      'What the user said. Follows `turn.started` in the same commit, or comes in the middle of a turn (steering).',
    ),
  z
    .object({ kind: z.literal('mode.changed'), mode: modeSchema })
    .describe('From now on the session may do more or less without asking.'),
  z
    .object({
      kind: z.literal('model.chosen'),
      model: z.string(),
      reason: z.string().optional().describe('Why it is the model of before again.'),
    })
    .describe('The model that is to answer, chosen while a turn runs: `model.changed` follows where it takes hold.'),
  z.object({ kind: z.literal('model.changed'), model: z.string() }).describe('From now on another model answers.'),
  z
    .object({
      kind: z.literal('request.started'),
      requestId: requestIdSchema,
      turnId: turnIdSchema,
      model: z.string(),
      attempt: z.int(),
      bytes: z.int().describe('Of its body, in which images stand by the ids of their bytes.'),
      segments: z.array(segmentSchema),
      purpose: z
        .enum(['compaction', 'keepWarm'])
        .optional()
        .describe('A request beside the conversation: its answer is no part of it. Absent: the next step of the turn.'),
      covers: z
        .object({ after: z.int(), through: z.int() })
        .optional()
        .describe(
          'The events that a compaction sums up from a copy of its own, by seq. Absent: it continues the prompt of the turn.',
        ),
    })
    .describe('A request is about to be sent. Each attempt is a request of its own.'),
  z
    .object({
      kind: z.literal('request.failed'),
      requestId: requestIdSchema,
      turnId: turnIdSchema,
      failure: failureSchema,
      partial: z
        .string()
        .optional()
        .describe('What had arrived before the failure, archived; never sent back as if it were whole.'),
      retryAt: z.int().optional().describe('When the next attempt begins; absent: there is none.'),
      usage: usageSchema.optional().describe('What had been reported by then: the provider charges for it.'),
      costPico: z.int().nullable().optional().describe('Of `usage`, integer pico-dollars; null: unpriced.'),
      rates: ratesSchema.optional(),
      estimated: estimateSchema.optional(),
    })
    .describe('A request brought no answer. What had come of it is not used.'),
  z
    .object({
      kind: z.literal('assistant.finished'),
      requestId: requestIdSchema,
      turnId: turnIdSchema,
      content: z.array(assistantBlockSchema),
      stopReason: stopReasonSchema,
      usage: usageSchema,
      costPico: z.int().nullable().describe('Integer pico-dollars by the price that held at the time; null: unpriced.'),
      ...answerCostFields,
    })
    .describe('A request brought this answer, whole.'),
  z
    .object({
      kind: z.literal('toolCall.started'),
      turnId: turnIdSchema,
      callId: callIdSchema,
      name: z.string(),
      inputJson: z.string(),
    })
    .describe('A call of the last answer is about to run: the intent stands in the log before the effect.'),
  z
    .object({
      kind: z.literal('toolCall.finished'),
      turnId: turnIdSchema,
      callId: callIdSchema,
      outcome: toolOutcomeSchema,
      shown: z.string().describe('What the model sees, within its cap.'),
      archiveId: archiveIdSchema.optional().describe('The whole body; absent when it is empty.'),
      bytes: z.int().describe('Bytes of the whole body.'),
      durationMs: z.int(),
      exitCode: z.int().optional(),
      files: z.array(seenFileSchema).optional(),
      reads: z
        .array(shownLinesSchema)
        .optional()
        .describe('All that the transcript shows, from here on, of the files that this call read or edited.'),
      leansOn: z
        .array(callIdSchema)
        .optional()
        .describe(
          'The calls without whose results or arguments `shown` says nothing: it points to them or differs from them.',
        ),
      nothingNew: z
        .object({ of: z.string(), times: z.int() })
        .optional()
        .describe('It brought no new line of this file or archived body, for this many times in a row.'),
      diff: z
        .string()
        .optional()
        .describe('For people: the unified diff of a change, within a cap. Never sent to the model.'),
      rules: z
        .array(rulesFileSchema)
        .optional()
        .describe('The rules of the folders that it touched, whose text `shown` ends with.'),
      jobId: jobIdSchema.optional().describe('The command goes on as this job.'),
      images: z.array(imageSchema).optional().describe('Images that the model is shown with it.'),
    })
    .describe('What a call came to. Every call of an answer gets one, also when it did not run.'),
  z
    .object({
      kind: z.literal('approval.requested'),
      turnId: turnIdSchema,
      callId: callIdSchema,
      approvalId: approvalIdSchema,
      tool: z.string(),
      digest: z.string().describe('SHA-256 of tool and arguments: an answer holds for exactly this.'),
      asks: z.string().describe('The whole of what is asked, control characters escaped.'),
      always: z
        .array(z.string())
        .optional()
        .describe('The commands that may be allowed for good with it, as rules. Absent: nothing can.'),
    })
    .describe('A call waits for the word of the user.'),
  z
    .object({
      kind: z.literal('approval.answered'),
      turnId: turnIdSchema,
      approvalId: approvalIdSchema,
      decision: z.enum(['granted', 'denied']),
      reason: z.string().optional(),
      by: z.string().optional().describe('The name of the client that answered; absent: nobody did.'),
      always: z.array(z.string()).optional().describe('The rules that were added with it.'),
    })
    .describe(
      'The first answer to an approval; it holds. A mode that is chosen meanwhile grants what it allows, with that reason.',
    ),
  z
    .object({
      kind: z.literal('turn.finished'),
      turnId: turnIdSchema,
      outcome: turnOutcomeSchema,
      failure: failureSchema.optional(),
    })
    .describe('The turn is over. Every turn that began ends with one, after a crash at the next start.'),
  ...contextEvents,
  ...costEvents,
  ...workEvents,
]);
export type SessionEvent = z.infer<typeof sessionEventSchema>;

/** An event as the log keeps it: `seq` counts from 1 without holes in its session; `at` is milliseconds of the epoch. */
export interface LoggedEvent {
  readonly seq: number;
  readonly at: number;
  readonly event: SessionEvent;
}
