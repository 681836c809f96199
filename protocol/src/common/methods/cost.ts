/** Rows of what was paid and of what would be. */
import { z } from 'zod';
import { budgetSchema, forecastSchema, sessionCostSchema, totalsSchema } from '../cost-shapes.ts';
import { sessionIdSchema } from '../ids.ts';
import { request } from './row.ts';

export const costMethods = {
  'cost/read': request(
    'none',
    'Totals of requests, tokens and money, of one session or of the repository; of one session also its misses and what is dear.',
    z.strictObject({
      sessionId: sessionIdSchema.optional().describe('Absent: the whole repository.'),
      requests: z
        .boolean()
        .optional()
        .describe('Whether every request of the session is given, and all that is carried.'),
    }),
    z.object({
      totals: totalsSchema,
      byModel: z.array(z.object({ model: z.string(), totals: totalsSchema })),
      session: sessionCostSchema.optional().describe('Absent: of the whole repository.'),
      budgets: z
        .array(budgetSchema)
        .optional()
        .describe('Those that hold: of the session, when one is named, of the day and of the repository.'),
    }),
  ),
  'cost/forecast': request(
    'none',
    'What the next message would cost on its input side, why, and what could be done instead. Nothing is sent.',
    z.strictObject({
      sessionId: sessionIdSchema,
      text: z.string().optional().describe('The message; absent: an empty one.'),
      model: z
        .string()
        .optional()
        .describe('The model that would answer, as provider/model; absent: that of the session.'),
    }),
    forecastSchema,
  ),
} as const;
