/** What the user is asked in words by a session and by the sub-agents that work for it. */
import type { OpenQuestion } from '@zerd/core/session/state';
import type { SessionId } from '@zerd/protocol/common/ids';
import type { PendingQuestion } from '@zerd/protocol/common/methods';
import type { Book } from '../book.ts';

/** Those of sub-agents name the session in which they are answered. */
export function pendingQuestions(book: Book, sessionId: SessionId): readonly PendingQuestion[] {
  const { pendingQuestions: own, subagents } = book.state(sessionId);
  const theirs = subagents.flatMap((child) =>
    pendingQuestions(book, child.sessionId).map((pending) => ({ sessionId: child.sessionId, ...pending })),
  );
  return [...own.map(pendingQuestion), ...theirs];
}

function pendingQuestion({ questionId, turnId, callId, about, ...open }: OpenQuestion): PendingQuestion {
  const { text, options, askedAt } = open;
  return {
    questionId,
    turnId,
    ...(callId === undefined ? {} : { callId }),
    ...(about === undefined ? {} : { about }),
    text,
    options: [...options],
    askedAt,
  };
}
