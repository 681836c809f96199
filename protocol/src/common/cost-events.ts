/** What the log keeps of money: the rates of a request, what its provider says of its cache, and warnings about it. */
import { z } from 'zod';
import { turnIdSchema } from './ids.ts';
import { picoSumSchema } from './money.ts';

export const ratesSchema = z
  .object({
    input: z.int(),
    output: z.int(),
    cacheRead: z.int(),
    cacheWrite: z.int(),
    cacheWrite1h: z.int().optional(),
    source: z.string(),
    asOf: z.string(),
  })
  .describe('Pico-dollars a token, by the price row and the tier that held for this request; where and of when it is.');
export type Rates = z.infer<typeof ratesSchema>;

export const diagnosisSchema = z
  .object({
    verdict: z
      .enum(['same', 'changed', 'unknown'])
      .describe('Whether the request began as the one before, in the eyes of the provider; `unknown`: it cannot say.'),
    reason: z.string().optional().describe("The provider's own word for what changed."),
    missedTokens: z.int().optional(),
  })
  .describe('What the provider itself says about its cache and this request.');
export type Diagnosis = z.infer<typeof diagnosisSchema>;

export const estimateSchema = z
  .object({
    prompt: z.int(),
    output: z.int(),
    costPico: z.int().nullable().describe('All of these as if nothing were cached, in pico-dollars; null: unpriced.'),
  })
  .describe(
    "What a request may have come to by zerd's own count beyond what the provider reported: all of it where no tokens were, or what had arrived of an answer that broke off. Budgets count it, and it is in no sum of what was paid.",
  );
export type Estimate = z.infer<typeof estimateSchema>;

/** Fields of `assistant.finished`. */
export const answerCostFields = {
  rates: ratesSchema.optional().describe('Absent: unpriced, or logged by a build that did not keep them.'),
  estimated: estimateSchema.optional(),
  billed: z.boolean().optional().describe('`costPico` is what the provider itself says it billed.'),
  responseId: z.string().optional().describe("The provider's own name of the answer."),
  removedReasoning: z
    .int()
    .optional()
    .describe(
      'Blocks of earlier reasoning that the provider kept from the model, as something before them had changed.',
    ),
  diagnosis: diagnosisSchema.optional().describe('Absent: it was not asked, or said nothing.'),
};

export const budgetScopeSchema = z
  .enum(['session', 'subagents', 'day', 'repository'])
  .describe(
    'What a budget is for: `session`: a session with all that works for it; `subagents`: those that work for it, together; `day`: this repository since midnight; `repository`: all that was ever spent in it.',
  );
export type BudgetScope = z.infer<typeof budgetScopeSchema>;

export const spendingLimitSchema = z
  .object({
    pico: picoSumSchema.optional().describe('Pico-dollars: whole up to 2^53, beyond that the nearest double.'),
    tokens: z.int().nonnegative().optional().describe('Of prompts and answers, cached ones too.'),
  })
  .describe('What may be spent; what is absent has no limit.');
export type SpendingLimit = z.infer<typeof spendingLimitSchema>;

export const costEvents = [
  z
    .object({
      kind: z.literal('budget.raised'),
      turnId: turnIdSchema.optional(),
      scope: budgetScopeSchema,
      by: spendingLimitSchema,
    })
    .describe('The user allowed more: until the end of the day for a day, else from then on.'),
  z
    .object({
      kind: z.literal('budget.warned'),
      turnId: turnIdSchema,
      model: z.string(),
      text: z.string().describe('For people: which limit does not hold, and what can be done.'),
    })
    .describe('A model has no price, so no limit in money holds for it: told once for each model of a session.'),
  z
    .object({
      kind: z.literal('cache.warned'),
      turnId: turnIdSchema,
      model: z.string(),
      text: z.string().describe('For people: what is seen and what can be done.'),
    })
    .describe('A model that should cache its prompts does not: told once for each model of a session.'),
] as const;
