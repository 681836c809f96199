/** Rows by which the user answers: approvals, questions, trust. */
import { z } from 'zod';
import { approvalIdSchema, questionIdSchema, sessionIdSchema } from '../ids.ts';
import { done, nothing } from './fields.ts';
import { request } from './row.ts';

export const answerMethods = {
  'approval/answer': request(
    'session',
    'Answers a pending approval. The first answer holds; a later one fails with already_resolved.',
    z.strictObject({
      sessionId: sessionIdSchema,
      approvalId: approvalIdSchema,
      digest: z
        .string()
        .describe('As the pending approval has it.')
        .meta({ examples: ['9f86d081884c7d65'] }),
      decision: z.enum(['granted', 'denied']),
      reason: z.string().optional().describe('Told to the model.'),
    }),
    done,
  ),
  'question/answer': request(
    'session',
    'Answers a pending question. The first answer holds; a later one fails with already_resolved.',
    z.strictObject({
      sessionId: sessionIdSchema,
      questionId: questionIdSchema,
      answer: z
        .string()
        .min(1)
        .max(100_000)
        .describe('One of its options, or other words.')
        .meta({ examples: ['yes'] }),
    }),
    done,
  ),
  'trust/read': request(
    'none',
    'Says whether the user trusts this repository.',
    nothing,
    z.object({ root: z.string(), trusted: z.boolean() }),
  ),
  'trust/set': request(
    'daemon',
    'Records that the user trusts this repository, or no longer does.',
    z.strictObject({ trusted: z.boolean() }),
    z.object({ root: z.string(), trusted: z.boolean() }),
  ),
} as const;
