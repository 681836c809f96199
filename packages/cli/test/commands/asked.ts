/** What a session asks in these tests. */
import type { ApprovalId, QuestionId } from '@zerd/protocol/common/ids';
import { type FakeDaemon, sessionId, turnId } from '../fake-daemon.ts';

export const row = { sessionId, lastSeq: 3, state: 'waiting' };
export const approval = {
  approvalId: 'apr_1' as ApprovalId,
  turnId,
  tool: 'shell',
  asks: 'shell: rm -r build',
  digest: 'd1',
};
export const question = {
  questionId: 'que_1' as QuestionId,
  turnId,
  text: 'Which port?',
  options: ['80', '8080'],
  askedAt: 1,
};

/** What went to the daemon by way of an answer, or of something that is said. */
export const sent = (daemon: FakeDaemon) =>
  daemon.requests
    .filter(({ method }) => /answer|steer|queue/.test(method))
    .map(({ method, params }) => [method, params]);
