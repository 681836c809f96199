/** A file of rules for agents, as the log names it. */
import { z } from 'zod';
import { archiveIdSchema } from './ids.ts';

export const rulesFileSchema = z
  .object({
    path: z.string().describe('Relative to the root; a file outside it by its whole path.'),
    hash: z.string().describe('The archive id of its text.'),
    bytes: z.int().optional().describe('Of the whole file.'),
    chars: z.int().optional().describe('Of its block where that stands at the end of a text, in UTF-16 units.'),
    archiveId: archiveIdSchema.optional().describe('The whole text, when what is shown of it is cut.'),
  })
  .describe('A file of rules (AGENTS.md and the like) whose text the model is shown.');
export type RulesFile = z.infer<typeof rulesFileSchema>;
