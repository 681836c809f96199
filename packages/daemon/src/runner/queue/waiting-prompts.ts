/** What waits to be submitted in a session, as clients see it. */
import type { SessionId } from '@zerd/protocol/common/ids';
import type { Book } from '../book.ts';
import type { WaitingPrompts } from '../runner.ts';

export function waitingPrompts(book: Book, sessionId: SessionId): WaitingPrompts {
  const { queue, paused, turn } = book.state(sessionId);
  const prompts = queue.map(({ promptId, text, queuedAt, steers }) => ({
    ...{ promptId, text, queuedAt },
    // What was said to a turn that has ended waits like any other.
    ...(steers !== undefined && steers === turn?.turnId ? { steers } : {}),
  }));
  return { ...(turn && { turnId: turn.turnId }), prompts, paused: paused && turn === undefined };
}
