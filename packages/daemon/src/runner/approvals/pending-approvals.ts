/** What the user is asked by a session and by the sub-agents that work for it. */
import type { SessionId } from '@zerd/protocol/common/ids';
import type { PendingApproval } from '@zerd/protocol/common/methods';
import type { Book } from '../book.ts';

/** Those of sub-agents name the session in which they are answered. */
export function pendingApprovals(book: Book, sessionId: SessionId): readonly PendingApproval[] {
  const { pendingApprovals: own, subagents } = book.state(sessionId);
  const theirs = subagents.flatMap((child) =>
    pendingApprovals(book, child.sessionId).map((pending) => ({ sessionId: child.sessionId, ...pending })),
  );
  return [
    ...own.map(({ approvalId, turnId, tool, asks, digest, always }) => ({
      ...{ approvalId, turnId, tool, asks, digest },
      ...(always && { always: [...always] }),
    })),
    ...theirs,
  ];
}
