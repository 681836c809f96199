/** Rows by which the user answers: approvals and what is allowed for good, questions, trust. */
import { z } from 'zod';
import { approvalIdSchema, questionIdSchema, sessionIdSchema } from '../ids.ts';
import { done, nothing } from './fields.ts';
import { request } from './row.ts';

const rule = z
  .string()
  .min(1)
  .max(10_000)
  .meta({ examples: ['npm test *'] });
const grants = z.object({
  rules: z.array(
    z.object({
      rule: z.string(),
      from: z.enum(['configuration', 'repository']).describe('Where it stands: with the user, or for this repository.'),
    }),
  ),
});

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
      always: z
        .boolean()
        .optional()
        .describe('Granted for good: the rules that the pending approval names are kept for this repository.'),
    }),
    done,
  ),
  'grant/list': request('none', 'The commands that run here without being asked about.', nothing, grants),
  'grant/add': request(
    'daemon',
    'Allows a command in this repository for good: as it stands, or with a ` *` behind it, whatever follows.',
    z.strictObject({ rule }),
    grants,
  ),
  'grant/remove': request(
    'daemon',
    'Takes a rule of this repository back. Those of the configuration file are changed there.',
    z.strictObject({ rule }),
    grants,
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
