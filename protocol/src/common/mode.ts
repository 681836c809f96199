/** What a session may do without asking. */
import { z } from 'zod';

/** See `core/permissions/decide`. */
export const modeSchema = z.enum(['read-only', 'ask', 'edit', 'full']).describe('What may be done without asking.');
export type Mode = z.infer<typeof modeSchema>;
