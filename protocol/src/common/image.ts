/** An image as the log keeps it, its bytes in the archive and never here, and as clients send it. */
import { z } from 'zod';
import { archiveIdSchema } from './ids.ts';
import { imageTypes, maxImagesAtOnce } from './image-words.ts';

export const imageSchema = z
  .object({
    archiveId: archiveIdSchema,
    name: z.string().describe('The path relative to the root, or the name by which it was given.'),
    type: z.enum(imageTypes),
    width: z.int(),
    height: z.int(),
    bytes: z.int(),
    tokens: z.int().describe('What the model that was to answer is expected to count for it; 0: it sees none.'),
  })
  .describe('An image that the model is shown: what it is, and under which id its bytes are archived.');
export type Image = z.infer<typeof imageSchema>;

/** As a client sends it. */
export const givenImagesSchema = z
  .array(
    z.strictObject({
      name: z.string().min(1).max(1_000).describe('By which it is named to the model and to people.'),
      data: z.string().describe('Its bytes as base64: PNG, JPEG, GIF or WebP.'),
    }),
  )
  .max(maxImagesAtOnce)
  .optional()
  .describe('Images that go with the text; those of the workspace that it names as @path come by themselves.');
export type GivenImages = NonNullable<z.infer<typeof givenImagesSchema>>;
