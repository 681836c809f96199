/** Rows of models and of the settings that name them. */
import { z } from 'zod';
import { sessionIdSchema } from '../ids.ts';
import { nothing } from './fields.ts';
import { request } from './row.ts';

export const modelSchema = z.object({
  id: z.string(),
  wire: z.enum(['anthropic', 'responses', 'chat']),
  contextWindow: z.int().nullable(),
  priced: z.boolean(),
  cacheMs: z
    .int()
    .optional()
    .describe('How long its provider keeps a prompt that is not used, in milliseconds; at least so long.'),
  ready: z.boolean().describe("Whether a key is at hand for this session's client."),
});

export const modelMethods = {
  'model/list': request(
    'none',
    'The models that can be used, with whether the key of each is at hand for this client.',
    nothing,
    z.object({
      models: z.array(modelSchema),
      default: z.string().nullable().describe('What answers where none is named; null: none is chosen or ready.'),
    }),
  ),
  'model/select': request(
    'session',
    'Lets another model answer from the next request on, also while a turn runs: `model.changed` says where it takes hold. While it is asked whether to try again, that is the answer. Its provider holds nothing of the conversation: that request writes all of it, and `cost/forecast` says what that costs.',
    z.strictObject({ sessionId: sessionIdSchema, model: z.string().describe('provider/model') }),
    z.object({ model: z.string() }),
  ),
  'config/read': request(
    'none',
    'The settings in force, without secrets, and what was wrong with the files.',
    nothing,
    z.object({
      file: z.string(),
      model: z.string().nullable().describe('What answers where none is named; null: none is chosen or ready.'),
      models: z.array(modelSchema),
      warnings: z.array(z.string()),
    }),
  ),
} as const;
