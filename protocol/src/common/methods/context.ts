/** Rows of what the model sees, of what left its sight, and of what it keeps in mind. */
import { z } from 'zod';
import { archiveIdSchema, callIdSchema, requestIdSchema, sessionIdSchema } from '../ids.ts';
import { notesSchema } from '../work-events.ts';
import { nothing } from './fields.ts';
import { request } from './row.ts';

export const promptOutlineSchema = z
  .object({
    system: z.object({ bytes: z.int(), about: z.string() }),
    tools: z.array(z.object({ name: z.string(), bytes: z.int() })),
    messages: z.array(
      z.object({
        role: z.enum(['user', 'assistant']),
        blocks: z.array(
          z.object({
            kind: z.enum(['text', 'image', 'summary', 'reasoning', 'toolCall', 'toolResult']),
            bytes: z.int(),
            about: z.string().describe('What it begins with, within a cap.'),
            callId: callIdSchema.optional(),
            number: z.int().optional().describe('The how many-th call of the session, as results name it.'),
            stub: z.boolean().optional().describe('A trim left only an excerpt; the whole is in the archive.'),
            marked: z.boolean().optional().describe('A cache entry is wished at its end.'),
          }),
        ),
      }),
    ),
  })
  .describe('What a prompt holds; bytes are those of the texts and images, without what frames them on the wire.');

const keptNotesSchema = z.object({
  notes: notesSchema,
  todo: z.string().describe('The list of steps.'),
  file: z
    .string()
    .describe('Markdown; it is there once something is kept, and changes are taken over with the next turn.'),
});

export const contextMethods = {
  'skill/list': request(
    'none',
    'Lists the skills that there are, as the model may load them: those of the repository once it is trusted, and yours.',
    nothing,
    z.object({
      skills: z.array(
        z.object({
          name: z.string(),
          description: z.string(),
          path: z.string().describe('Its SKILL.md: relative to the repository, or its whole path.'),
        }),
      ),
    }),
  ),
  'context/read': request(
    'none',
    'Exactly what the model sees: the body of the next request, or of a past one.',
    z.strictObject({
      sessionId: sessionIdSchema,
      requestId: requestIdSchema.optional().describe('A past request; absent: the next one.'),
    }),
    z.object({
      model: z.string(),
      body: z.string(),
      bytes: z.int(),
      tokens: z.int().optional().describe('As its provider reported them; of the next one: as expected.'),
      contextWindow: z.int().optional().describe('Of the model, in tokens.'),
      outline: promptOutlineSchema.optional().describe('The same in plain form, block by block.'),
    }),
  ),
  'archive/read': request(
    'none',
    'Reads an archived body, or the bytes of it from `offset`.',
    z.strictObject({
      archiveId: archiveIdSchema,
      offset: z.int().nonnegative().optional().describe('In bytes.'),
      limit: z.int().positive().optional().describe('In bytes.'),
      as: z
        .enum(['text', 'base64'])
        .optional()
        .describe('How: `text` (default) is cut between characters, `base64` has every byte, also of what is no text.'),
    }),
    z.object({
      text: z.string().describe('Empty where `base64` was asked for.'),
      base64: z.string().optional(),
      offset: z.int(),
      bytes: z.int(),
      totalBytes: z.int(),
    }),
  ),
  'notes/read': request(
    'session',
    'Reads what a session keeps in mind: its notes, its list of steps, and the file in which both may be changed by hand.',
    z.strictObject({ sessionId: sessionIdSchema }),
    keptNotesSchema,
  ),
  'notes/write': request(
    'session',
    'Changes what a session keeps in mind: given sections and a given list replace the old ones, an empty one goes. The model is told before its next request.',
    z.strictObject({
      sessionId: sessionIdSchema,
      notes: z.strictObject(notesSchema.shape).optional(),
      todo: z.string().optional().describe('One `[ ] step` a line; `[>]` is being done, `[x]` is done.'),
    }),
    keptNotesSchema,
  ),
} as const;
