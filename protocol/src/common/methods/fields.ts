/** Fields that rows of several resources share. */
import { z } from 'zod';

export const nothing = z.strictObject({});
export const done = z.object({});
export const seq = z.int().nonnegative().describe('Counts the events of a session from 1, without holes.');
export const after = seq.optional().describe('The last event that is known; absent: none, so all are given.');
export const at = z.int().describe('Milliseconds of the epoch.');
/** What a session may spend, as clients say it. */
export const spending = {
  maxCostUsd: z
    .number()
    .positive()
    .max(1_000_000)
    .optional()
    .describe('Dollars that the session may spend in all, with its sub-agents; absent: the limit before it stands.'),
  maxTokens: z.int().positive().optional().describe('The same in tokens, cached ones too.'),
};
export const range = z.object({ min: z.int(), max: z.int() });
export const forThisTime = z.boolean().optional().describe('Trusts the repository this once.');
