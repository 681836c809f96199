/**
 * What happened in a session, in the past tense: the log is the truth (I1) and everything else is a fold of it.
 * A kind is never removed or given another meaning; new fields are optional, so that every log of the past still reads.
 */
import { z } from 'zod';
import { approvalIdSchema, archiveIdSchema, callIdSchema, requestIdSchema, turnIdSchema } from './ids.ts';

/** What may be done without asking: see `core/permissions/decide`. */
export const modeSchema = z.enum(['read-only', 'ask', 'edit', 'full']);
export type Mode = z.infer<typeof modeSchema>;

/** Tokens of one request. The prompt is uncached + cacheRead + cacheWrite; `output` includes `reasoning`. */
export const usageSchema = z.object({
  uncached: z.int(),
  cacheRead: z.int(),
  cacheWrite: z.int(),
  /** The part of cacheWrite that was written with the one-hour lifetime. */
  cacheWrite1h: z.int().optional(),
  output: z.int(),
  reasoning: z.int().optional(),
  /** False when the endpoint reported no usage at all: the figures are then 0 and mean nothing. */
  reported: z.boolean(),
});
export type Usage = z.infer<typeof usageSchema>;

/** One block of an answer, in the order in which the model gave them. */
export const assistantBlockSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('text'), text: z.string() }),
  z.object({
    kind: z.literal('toolCall'),
    callId: callIdSchema,
    name: z.string(),
    /** The arguments exactly as received. When they were not a JSON object, '{}' and `broken` says why. */
    inputJson: z.string(),
    broken: z.string().optional(),
  }),
  /** Something only the wire that made it understands (reasoning): goes back unmodified, in place. */
  z.object({ kind: z.literal('opaque'), wire: z.string(), json: z.string() }),
]);
export type AssistantBlock = z.infer<typeof assistantBlockSchema>;

export const stopReasonSchema = z.enum(['end', 'toolUse', 'maxTokens', 'refusal', 'pause', 'contextFull', 'other']);
export type StopReason = z.infer<typeof stopReasonSchema>;

/** A part of a request as it was sent: which, its SHA-256 (first 16 hex digits) and its bytes. */
export const segmentSchema = z.object({ name: z.string(), hash: z.string(), bytes: z.int() });
export type Segment = z.infer<typeof segmentSchema>;

/** A file as the model saw it (`read`) or left it (`written`): the path relative to the root, SHA-256 of its bytes. */
export const seenFileSchema = z.object({ path: z.string(), hash: z.string(), how: z.enum(['read', 'written']) });
export type SeenFile = z.infer<typeof seenFileSchema>;

/**
 * Lines of a file that the transcript shows, whole and in a row: `firstLine` to `lastLine` (from 1) of the `lines` of
 * the content `hash`. The path is relative to the root; `archive:<id>` is an archived body.
 */
export const shownLinesSchema = z.object({
  path: z.string(),
  hash: z.string(),
  lines: z.int(),
  firstLine: z.int(),
  lastLine: z.int(),
  /** The calls that show them together, by result or arguments; absent: this one alone, by its result. */
  by: z.array(callIdSchema).optional(),
});
export type ShownLines = z.infer<typeof shownLinesSchema>;

export const failureSchema = z.object({
  code: z.string(),
  message: z.string(),
  status: z.int().optional(),
});
export type Failure = z.infer<typeof failureSchema>;

export const toolOutcomeSchema = z.enum(['ok', 'failed', 'denied', 'interrupted', 'unknown']);
export type ToolOutcome = z.infer<typeof toolOutcomeSchema>;

export const turnOutcomeSchema = z.enum(['done', 'failed', 'interrupted', 'limit', 'needs-answer']);
export type TurnOutcome = z.infer<typeof turnOutcomeSchema>;

export const sessionEventSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('session.created'),
    root: z.string(),
    model: z.string(),
    mode: modeSchema,
    /** The exact system text; render reads it from here for ever (I2). */
    system: z.string(),
    /** The exact tool declarations as JSON text: an array of {name, description, inputSchema}. */
    tools: z.string(),
    version: z.string(),
  }),
  z.object({
    kind: z.literal('turn.started'),
    turnId: turnIdSchema,
    /** Requests that this turn may make; absent: no limit. */
    maxRequests: z.int().optional(),
    /** Nobody can answer: a question ends the turn. */
    headless: z.boolean().optional(),
  }),
  z.object({
    kind: z.literal('message.submitted'),
    turnId: turnIdSchema,
    text: z.string(),
    /** Facts of the moment (folder, date, git), sent in front of the text. */
    facts: z.string().optional(),
  }),
  z.object({ kind: z.literal('mode.changed'), mode: modeSchema }),
  z.object({ kind: z.literal('model.changed'), model: z.string() }),
  z.object({
    kind: z.literal('request.started'),
    requestId: requestIdSchema,
    turnId: turnIdSchema,
    model: z.string(),
    attempt: z.int(),
    bytes: z.int(),
    segments: z.array(segmentSchema),
  }),
  z.object({
    kind: z.literal('request.failed'),
    requestId: requestIdSchema,
    turnId: turnIdSchema,
    failure: failureSchema,
    /** What had arrived before the failure, archived; never sent back as if it were whole. */
    partial: z.string().optional(),
    /** When the next attempt begins; absent: there is none. */
    retryAt: z.int().optional(),
  }),
  z.object({
    kind: z.literal('assistant.finished'),
    requestId: requestIdSchema,
    turnId: turnIdSchema,
    content: z.array(assistantBlockSchema),
    stopReason: stopReasonSchema,
    usage: usageSchema,
    /** Integer pico-dollars by the price that held at the time; null: unpriced. */
    costPico: z.int().nullable(),
  }),
  z.object({
    kind: z.literal('toolCall.started'),
    turnId: turnIdSchema,
    callId: callIdSchema,
    name: z.string(),
    inputJson: z.string(),
  }),
  z.object({
    kind: z.literal('toolCall.finished'),
    turnId: turnIdSchema,
    callId: callIdSchema,
    outcome: toolOutcomeSchema,
    /** What the model sees, within its cap (I4). */
    shown: z.string(),
    /** The whole body; absent when it is empty. */
    archiveId: archiveIdSchema.optional(),
    /** Bytes of the whole body. */
    bytes: z.int(),
    durationMs: z.int(),
    exitCode: z.int().optional(),
    files: z.array(seenFileSchema).optional(),
    /** All that the transcript shows, from here on, of the files that this call read or edited. */
    reads: z.array(shownLinesSchema).optional(),
    /** The calls without whose results or arguments `shown` says nothing: it points to them or differs from them. */
    leansOn: z.array(callIdSchema).optional(),
    /** It brought no new line of this file or archived body, for this many times in a row. */
    nothingNew: z.object({ of: z.string(), times: z.int() }).optional(),
    /** For people: the unified diff of a change, within a cap. Never sent to the model. */
    diff: z.string().optional(),
  }),
  z.object({
    kind: z.literal('approval.requested'),
    turnId: turnIdSchema,
    callId: callIdSchema,
    approvalId: approvalIdSchema,
    tool: z.string(),
    /** SHA-256 of tool and arguments: an answer holds for exactly this. */
    digest: z.string(),
    /** The whole of what is asked, control characters escaped. */
    asks: z.string(),
  }),
  z.object({
    kind: z.literal('approval.answered'),
    turnId: turnIdSchema,
    approvalId: approvalIdSchema,
    decision: z.enum(['granted', 'denied']),
    reason: z.string().optional(),
  }),
  z.object({
    kind: z.literal('turn.finished'),
    turnId: turnIdSchema,
    outcome: turnOutcomeSchema,
    failure: failureSchema.optional(),
  }),
]);
export type SessionEvent = z.infer<typeof sessionEventSchema>;

/** An event as the log keeps it: `seq` counts from 1 without holes in its session; `at` is milliseconds of the epoch. */
export interface LoggedEvent {
  readonly seq: number;
  readonly at: number;
  readonly event: SessionEvent;
}
