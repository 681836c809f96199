/** Rows of turns and of what waits to become one. */

import { z } from 'zod';
import { promptIdSchema, sessionIdSchema, turnIdSchema } from '../ids.ts';
import { givenImagesSchema } from '../image.ts';
import { needsSchema } from '../work-events.ts';
import { forThisTime, seq, spending } from './fields.ts';
import { request } from './row.ts';

export const turnMethods = {
  'turn/start': request(
    'session',
    'Submits a message and starts a turn; answers when both are committed. Progress comes as events.',
    z.strictObject({
      sessionId: sessionIdSchema,
      text: z.string().meta({ examples: ['make the tests pass'] }),
      images: givenImagesSchema,
      maxRequests: z.int().positive().optional().describe('Requests that the turn may make; absent: no limit.'),
      ...spending,
      headless: z.boolean().optional().describe('Nobody can answer: a question ends the turn.'),
      model: z.string().optional().describe('provider/model, from this turn on; absent: as before.'),
      trust: forThisTime,
    }),
    z.object({ turnId: turnIdSchema, seq }),
  ),
  'turn/steer': request(
    'session',
    'Says something to the running turn: kept at once, and in the conversation before its next request. When that turn ends first, it waits like any other prompt.',
    z.strictObject({
      sessionId: sessionIdSchema,
      expectedTurnId: turnIdSchema.describe('When another turn runs, or none, nothing is kept: unknown_turn.'),
      text: z.string().meta({ examples: ['leave the tests as they are'] }),
      images: givenImagesSchema,
      trust: forThisTime,
    }),
    z.object({ promptId: promptIdSchema, seq }),
  ),
  'turn/queue': request(
    'session',
    'Keeps a prompt that begins a turn by itself, in order, when the turns before it have ended well. With `promptId` a waiting one gets another text or, with null, is taken back. With `run` the next one begins, also after a turn that did not end well. A limit holds from its turn on; where the user is being asked whether the budget of the session may be raised, a larger one is the answer.',
    z.strictObject({
      sessionId: sessionIdSchema,
      text: z
        .string()
        .nullable()
        .optional()
        .meta({ examples: ['then update the docs'] }),
      images: givenImagesSchema,
      promptId: promptIdSchema.optional().describe('A prompt that waits; a later one fails with already_resolved.'),
      run: z.boolean().optional().describe('Begins the next waiting prompt.'),
      maxRequests: z.int().positive().optional().describe('Requests that its turn may make; absent: no limit.'),
      ...spending,
      headless: z.boolean().optional().describe('Nobody can answer: a question ends its turn.'),
      model: z.string().optional().describe('provider/model, from its turn on; absent: as before.'),
      trust: forThisTime,
    }),
    z.object({
      promptId: promptIdSchema.optional().describe('The prompt that was kept or changed.'),
      seq: seq.optional(),
      turnId: turnIdSchema.optional().describe('The turn that began with it, or with the prompt before it.'),
      paused: z.boolean().optional().describe('It waits until the user does something.'),
      needs: needsSchema.optional(),
    }),
  ),
  'turn/interrupt': request(
    'none',
    'Ends the running turn within a second, whatever it waits for. Without turnId: whichever turn is running.',
    z.strictObject({ sessionId: sessionIdSchema, turnId: turnIdSchema.optional() }),
    z.object({ interrupted: z.boolean() }),
  ),
} as const;
