/** Fields that rows of several resources share. */
import { z } from 'zod';

export const nothing = z.strictObject({});
export const done = z.object({});
export const seq = z.int().nonnegative().describe('Counts the events of a session from 1, without holes.');
export const after = seq.optional().describe('The last event that is known; absent: none, so all are given.');
export const at = z.int().describe('Milliseconds of the epoch.');
export const range = z.object({ min: z.int(), max: z.int() });
export const forThisTime = z.boolean().optional().describe('Trusts the repository this once.');
