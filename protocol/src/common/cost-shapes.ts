/** What `cost/read` and `cost/forecast` answer: money in integer pico-dollars, null where there is no price. */
import { z } from 'zod';
import { budgetScopeSchema, spendingLimitSchema } from './cost-events.ts';
import { callIdSchema, requestIdSchema, sessionIdSchema, turnIdSchema } from './ids.ts';
import { picoSumSchema } from './money.ts';
import { usageSchema } from './usage.ts';

const at = z.int().describe('Milliseconds of the epoch.');
const seq = z.int().nonnegative();
const pico = z.int().nullable().describe('Integer pico-dollars; null: unpriced.');

export const totalsSchema = z
  .object({
    requests: z.int(),
    uncached: z.int(),
    cacheRead: z.int(),
    cacheWrite: z.int(),
    output: z.int(),
    costPico: picoSumSchema.describe(
      'Of all priced requests, in pico-dollars: whole up to 2^53, about $9,007; beyond that the nearest double.',
    ),
    unpricedRequests: z.int(),
    estimatedTokens: z
      .int()
      .optional()
      .describe(
        "Of requests whose tokens were not reported, or not all, by zerd's own count; in no other figure. Absent: none.",
      ),
    estimatedPico: picoSumSchema.optional().describe('What they may have cost; in no other figure. Absent: nothing.'),
  })
  .describe('Requests, their tokens and what they cost.');

export const missSchema = z
  .object({
    requestId: requestIdSchema,
    seq,
    at,
    model: z.string(),
    tokens: z.int().describe('What could have been read from the cache and was not.'),
    read: z.int(),
    costPico: pico.describe('What that cost beyond reading it; null: unpriced.'),
    cause: z.enum([
      'belowMinimum',
      'modelChanged',
      'rewound',
      'forgotten',
      'trimmed',
      'compacted',
      'imagesRefused',
      'changed',
      'diagnosed',
      'idle',
      'parallel',
      'providerSide',
      'unknown',
    ]),
    blame: z.enum(['ours', 'yours', 'provider', 'unknown']).describe('Whose doing it was.'),
    planned: z.boolean().describe('Decided, because it was expected to save more than it cost.'),
    segment: z.string().optional().describe('The first part of the request that was not as before.'),
    event: z.object({ kind: z.string(), seq }).optional().describe('The event that changed it.'),
    diagnosis: z.string().optional().describe("The provider's word for it."),
    says: z.string().describe('One line for people.'),
  })
  .describe('A prompt that was paid again although the cache had held it.');

export const carriedSchema = z
  .object({
    kind: z.enum([
      'system',
      'rules',
      'tool',
      'message',
      'summary',
      'answer',
      'reasoning',
      'call',
      'result',
      'skill',
      'note',
    ]),
    label: z.string(),
    callId: callIdSchema.optional(),
    tokens: z.int().describe('When it was last sent, estimated.'),
    requests: z.int().describe('How many carried it.'),
    costPico: picoSumSchema,
  })
  .describe('What a part of the prompt cost by being carried in every request behind it.');

export const paidRequestSchema = z
  .object({
    seq,
    at,
    endedAt: at.optional(),
    requestId: requestIdSchema,
    turnId: turnIdSchema,
    model: z.string(),
    attempt: z.int(),
    purpose: z.string().describe('turn, failed, compaction, keepWarm.'),
    outcome: z.enum(['answered', 'failed', 'open']),
    copied: z.boolean().describe('A fork holds it of its parent: it was paid there.'),
    bytes: z.int(),
    usage: usageSchema.optional(),
    parts: z
      .object({
        uncached: z.int(),
        cacheRead: z.int(),
        cacheWrite: z.int(),
        cacheWrite1h: z.int(),
        output: z.int(),
        adjusted: z.int().describe('What the provider billed beyond its rates, or less.'),
      })
      .optional()
      .describe('Pico-dollars; they add up to the cost.'),
    costPico: pico,
    billed: z.boolean().describe('The cost is what the provider says.'),
    carries: z
      .object({
        system: z.int().describe('The system text with its rules.'),
        tools: z.int(),
        messages: z.int().describe('What was said on both sides, calls, summaries, reminders.'),
        results: z.int().describe('Of calls, with loaded skills and rules of folders.'),
      })
      .optional()
      .describe(
        'Tokens of the prompt by kind, shared out by size; they add up to what was counted, where that was. Absent: it had ' +
          'a prompt of its own.',
      ),
  })
  .describe('One request of the ledger.');

export const contextChangeSchema = z
  .object({
    seq,
    at,
    kind: z.enum(['trimmed', 'compacted', 'modelChanged', 'imagesRefused']),
    says: z.string().describe('Why, and what was expected of it: one line for people.'),
    copied: z.boolean().describe('A fork holds it of its parent.'),
  })
  .describe('An event after which the prompt does not begin as before.');

export const sessionCostSchema = z.object({
  sessionId: sessionIdSchema,
  byPurpose: z.array(z.object({ purpose: z.string(), totals: totalsSchema })),
  subagents: totalsSchema.describe('Of the sessions that work for this one, and for those; not part of `totals`.'),
  misses: z.array(missSchema),
  notReported: z.array(z.string()).describe('Models whose endpoint says nothing of its cache.'),
  carried: z.array(carriedSchema).describe('The dearest first.'),
  reasoning: z
    .string()
    .optional()
    .describe('One line on reasoning that an edit of what stood before it made void; absent: there was none.'),
  advice: z.array(z.string()).describe('Empty when nothing is worth acting on.'),
  requests: z.array(paidRequestSchema).optional(),
  changes: z.array(contextChangeSchema).optional().describe('With `requests`.'),
});

export const budgetSchema = z
  .object({
    scope: budgetScopeSchema,
    limit: spendingLimitSchema,
    spentPico: picoSumSchema,
    spentTokens: z.int(),
    unpricedRequests: z.int().describe('They are in no sum of money.'),
    estimatedPico: picoSumSchema
      .optional()
      .describe('The part of `spentPico` that is an estimate: its tokens were not reported. Absent: nothing.'),
    estimatedTokens: z.int().optional().describe('The same of `spentTokens`.'),
  })
  .describe('What may be spent, with what was allowed besides, and what was spent.');

export const forecastSchema = z
  .object({
    plan: z.enum(['keep', 'trim', 'compact']).describe('What zerd does by itself before it sends.'),
    prompt: z.int().describe('Tokens of the next request.'),
    read: z.int().describe('What of them is read from the cache.'),
    rewritten: z.int().describe('What was there before and must be written anew.'),
    costPico: pico.describe('The input of the next request; null: unpriced.'),
    why: z.string().optional().describe('Why it is rewritten, one line.'),
    ways: z.array(
      z.object({
        kind: z.enum(['send', 'compact', 'new']),
        costPico: pico,
        prompt: z.int().describe('Tokens of the prompt that the work goes on with.'),
      }),
    ),
    warn: z.boolean().describe('It costs more than `cost.warnAbove`: a person should be asked before it is sent.'),
  })
  .describe('What the next message costs on its input side.');
