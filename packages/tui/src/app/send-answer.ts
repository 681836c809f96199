/** Sends what the person answered, to whoever asks: the session, or a sub-agent that works for it. */
import type { Answer } from './ask.ts';
import type { SessionLink } from './session-link.ts';

export async function sendAnswer({ feed, sessionId: own }: SessionLink, given: Answer): Promise<void> {
  if (given.kind === 'question') {
    const { questionId, sessionId = own } = given.question;
    await feed.request('question/answer', { sessionId, questionId, answer: given.answer });
    return;
  }
  const { approvalId, digest, sessionId = own } = given.approval;
  const decision = given.says === 'no' ? 'denied' : 'granted';
  const always = given.says === 'always' ? { always: true } : {};
  await feed.request('approval/answer', { sessionId, approvalId, digest, decision, ...always });
}
