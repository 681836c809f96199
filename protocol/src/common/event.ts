/**
 * What happened in a session, in the past tense: the log is the truth (I1) and everything else is a fold of it.
 * A kind is never removed or given another meaning; new fields are optional, so that every log of the past still reads.
 */
import { z } from 'zod';
import { approvalIdSchema, archiveIdSchema, callIdSchema, requestIdSchema, turnIdSchema } from './ids.ts';

/** See `core/permissions/decide`. */
export const modeSchema = z.enum(['read-only', 'ask', 'edit', 'full']).describe('What may be done without asking.');
export type Mode = z.infer<typeof modeSchema>;

export const usageSchema = z
  .object({
    uncached: z.int(),
    cacheRead: z.int(),
    cacheWrite: z.int(),
    cacheWrite1h: z.int().optional().describe('The part of cacheWrite that was written with the one-hour lifetime.'),
    output: z.int(),
    reasoning: z.int().optional(),
    reported: z
      .boolean()
      .describe('False when the endpoint reported no usage at all: the figures are then 0 and mean nothing.'),
  })
  .describe('Tokens of one request. The prompt is uncached + cacheRead + cacheWrite; `output` includes `reasoning`.');
export type Usage = z.infer<typeof usageSchema>;

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
  .object({ path: z.string(), hash: z.string(), how: z.enum(['read', 'written']) })
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
  .describe('`unknown`: it had begun when the daemon died; it is never run again.');
export type ToolOutcome = z.infer<typeof toolOutcomeSchema>;

export const turnOutcomeSchema = z
  .enum(['done', 'failed', 'interrupted', 'limit', 'needs-answer'])
  .describe(
    '`limit`: a limit that the user set, or the output limit of the model; `needs-answer`: a question that nobody could answer.',
  );
export type TurnOutcome = z.infer<typeof turnOutcomeSchema>;

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
    })
    .describe('The first event of a session: what it works in and what stays the same for ever.'),
  z
    .object({
      kind: z.literal('turn.started'),
      turnId: turnIdSchema,
      maxRequests: z.int().optional().describe('Requests that this turn may make; absent: no limit.'),
      headless: z.boolean().optional().describe('Nobody can answer: a question ends the turn.'),
    })
    .describe('A turn began.'),
  z
    .object({
      kind: z.literal('message.submitted'),
      turnId: turnIdSchema,
      text: z.string(),
      facts: z.string().optional().describe('Facts of the moment (folder, date, git), sent in front of the text.'),
    })
    .describe('What the user said. Follows `turn.started` in the same commit.'),
  z
    .object({ kind: z.literal('mode.changed'), mode: modeSchema })
    .describe('From now on the session may do more or less without asking.'),
  z.object({ kind: z.literal('model.changed'), model: z.string() }).describe('From now on another model answers.'),
  z
    .object({
      kind: z.literal('request.started'),
      requestId: requestIdSchema,
      turnId: turnIdSchema,
      model: z.string(),
      attempt: z.int(),
      bytes: z.int(),
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
    })
    .describe('A call waits for the word of the user.'),
  z
    .object({
      kind: z.literal('approval.answered'),
      turnId: turnIdSchema,
      approvalId: approvalIdSchema,
      decision: z.enum(['granted', 'denied']),
      reason: z.string().optional(),
    })
    .describe('The first answer to an approval; it holds.'),
  z
    .object({
      kind: z.literal('reminder.added'),
      turnId: turnIdSchema,
      text: z.string().describe('What the model is told, in a block of its own behind all that was there.'),
      about: z.discriminatedUnion('kind', [
        z
          .object({
            kind: z.literal('filesChanged'),
            files: z.array(
              z.object({
                path: z.string(),
                hash: z.string().optional().describe('SHA-256 of what it now holds; absent: it is gone.'),
                lines: z.boolean().describe('The changed lines are shown, not merely that there are some.'),
              }),
            ),
          })
          .describe('Files that the model has seen were changed, by somebody else or by a command.'),
        z
          .object({ kind: z.literal('leakedCall'), times: z.int().describe('How often in a row.') })
          .describe('A tool call arrived as text and could not be read as one.'),
      ]),
    })
    .describe('The model was reminded of something that it could not know.'),
  z
    .object({
      kind: z.literal('turn.finished'),
      turnId: turnIdSchema,
      outcome: turnOutcomeSchema,
      failure: failureSchema.optional(),
    })
    .describe('The turn is over. Every turn that began ends with one, after a crash at the next start.'),
  z
    .object({
      kind: z.literal('context.trimmed'),
      turnId: turnIdSchema,
      reason: z.string().describe('One line for people.'),
      calls: z.array(callIdSchema).describe('Their results are from now on shown by beginning, end and archive id.'),
      inputs: z
        .array(z.object({ callId: callIdSchema, archiveId: archiveIdSchema }))
        .describe('Calls whose texts are from now on named by the id under which they were archived.'),
      note: z.string().describe('What the model is told of it, as a block of its own behind all that was there.'),
      clearedNotes: z.array(z.int()).optional().describe('Earlier notes, by the seq of their trim, that go with it.'),
      keptFrom: requestIdSchema.describe('The oldest request whose results stay whole: what is before it is final.'),
      entryAt: requestIdSchema
        .optional()
        .describe('The request at whose end the provider still holds the prefix; absent: the fixed part, or nothing.'),
      endsReasoning: z.boolean().optional().describe('Reasoning from before it is no longer sent.'),
      predicted: z
        .object({
          cut: z.int().describe('Tokens taken out.'),
          read: z.int().describe('Tokens that the provider would have read from its cache.'),
          kept: z.int().describe('What it still reads.'),
          rewritten: z.int().describe('What it writes anew.'),
          rent: z
            .int()
            .describe('What the cut has paid, in tokens at the price of uncached input, as all that follows.'),
          price: z.int().describe('What that had to reach.'),
          costKept: z.int().describe('The next request without the trim.'),
          costTrimmed: z.int().describe('The next request with it.'),
        })
        .describe('What the planner expected.'),
    })
    .describe('Old results left the prompt: one of the few events after which it does not begin as before.'),
  z
    .object({
      kind: z.literal('context.measured'),
      turnId: turnIdSchema,
      requestId: requestIdSchema.describe('The first request after the trim.'),
      prompt: z.int().describe('Its tokens.'),
      read: z.int().describe('What of them the provider read from its cache.'),
      saved: z
        .int()
        .describe('What it cost less than it would have, in tokens at the price of uncached input; below 0: more.'),
    })
    .describe('What the newest trim came to, beside what was predicted.'),
  z
    .object({
      kind: z.literal('context.compacted'),
      turnId: turnIdSchema,
      reason: z.string().describe('One line for people.'),
      throughSeq: z.int().describe('Everything up to this event is no longer sent: the summary stands for it.'),
      summary: z.string().describe('What the model reads in its place, exactly.'),
      archiveId: archiveIdSchema.optional().describe('All that was replaced, as text.'),
      summaryRequestId: requestIdSchema.describe('The request that wrote the last of the prose.'),
      usage: usageSchema.describe('Of all requests that wrote it.'),
      predicted: z
        .object({
          prompt: z.int().describe('Tokens of the next request without the compaction.'),
          after: z.int().describe('Tokens of it with the compaction.'),
          facts: z.int().describe('What of them the kept facts and the prose take.'),
        })
        .describe('What was expected, estimated from bytes.'),
    })
    .describe('A summary took the place of the older part of the conversation: the prompt no longer begins as before.'),
]);
export type SessionEvent = z.infer<typeof sessionEventSchema>;

/** An event as the log keeps it: `seq` counts from 1 without holes in its session; `at` is milliseconds of the epoch. */
export interface LoggedEvent {
  readonly seq: number;
  readonly at: number;
  readonly event: SessionEvent;
}
