/** What the daemon tells its clients unasked. */
import { z } from 'zod';
import { sessionEventSchema } from '../event.ts';
import { callIdSchema, requestIdSchema, sessionIdSchema, turnIdSchema } from '../ids.ts';
import { indexReportSchema } from '../search.ts';
import { at, seq } from './fields.ts';
import { notice } from './row.ts';
import { pendingApprovalSchema, pendingQuestionSchema } from './session-shapes.ts';

export const notices = {
  'session/event': notice(
    'An event that is committed. `epoch` names the store: another one means that sequence numbers begin anew.',
    z.object({ sessionId: sessionIdSchema, epoch: z.string(), seq, at, event: sessionEventSchema }),
  ),
  'session/delta': notice(
    'A piece of an answer while it is written. May be dropped; the committed event holds all of it.',
    z.object({
      sessionId: sessionIdSchema,
      turnId: turnIdSchema,
      requestId: requestIdSchema,
      channel: z.enum(['text', 'reasoning', 'toolInput']),
      text: z.string(),
    }),
  ),
  'session/output': notice(
    'What a command has written while its call waits for it, for those who subscribed with `deltas`. May be dropped; the result holds what counts.',
    z.object({
      sessionId: sessionIdSchema,
      turnId: turnIdSchema,
      callId: callIdSchema,
      text: z.string(),
      offset: z
        .int()
        .describe('Of `text`, in bytes of the output: more than was told before when something is left out.'),
      totalBytes: z.int().describe('Of all output so far.'),
    }),
  ),
  'session/pending': notice(
    'What a sub-agent of the session asks has changed: all that is asked now, also by the session itself.',
    z.object({
      sessionId: sessionIdSchema,
      pendingApprovals: z.array(pendingApprovalSchema),
      pendingQuestions: z.array(pendingQuestionSchema),
    }),
  ),
  'index/progress': notice(
    'The search index is being built, is ready, or its tree can no longer be watched. Every client is told; may be dropped.',
    indexReportSchema,
  ),
  'session/deleted': notice(
    'The session is gone, and so is its subscription.',
    z.object({ sessionId: sessionIdSchema }),
  ),
  'session/gap': notice(
    'The client was too slow and events were withheld: subscribe again after `after`.',
    z.object({ sessionId: sessionIdSchema, after: seq }),
  ),
} as const;
