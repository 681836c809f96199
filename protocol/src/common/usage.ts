/** What a provider reports of one request. */
import { z } from 'zod';

export const usageSchema = z
  .object({
    uncached: z.int(),
    cacheRead: z.int(),
    cacheWrite: z.int(),
    cacheWrite1h: z.int().optional().describe('The part of cacheWrite that was written with the one-hour lifetime.'),
    output: z.int(),
    reasoning: z.int().optional(),
    tier: z
      .string()
      .optional()
      .describe(
        "As what the provider says it served the request, where that has a price of its own: 'priority', 'flex', 'batch'.",
      ),
    reported: z
      .boolean()
      .describe('False when the endpoint reported no usage at all: the figures are then 0 and mean nothing.'),
  })
  .describe('Tokens of one request. The prompt is uncached + cacheRead + cacheWrite; `output` includes `reasoning`.');
export type Usage = z.infer<typeof usageSchema>;
