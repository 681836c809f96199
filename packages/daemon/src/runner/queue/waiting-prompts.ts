/** What waits to be submitted in a session, as clients see it. */
import type { SessionId } from '@zerd/protocol/common/ids';
import type { Needs } from '@zerd/protocol/common/work-events';
import type { Book } from '../book.ts';
import type { WaitingPrompts } from '../runner.ts';

/** `needs`: what keeps the next one from beginning. */
export function waitingPrompts(book: Book, sessionId: SessionId, needs: Needs | undefined): WaitingPrompts {
  const { queue, paused, turn } = book.state(sessionId);
  const prompts = queue.map(({ promptId, text, queuedAt, steers }) => ({
    ...{ promptId, text, queuedAt },
    // What was said to a turn that has ended waits like any other.
    ...(steers !== undefined && steers === turn?.turnId ? { steers } : {}),
  }));
  const idle = turn === undefined;
  return {
    ...(turn && { turnId: turn.turnId }),
    prompts,
    paused: idle && (paused || needs !== undefined),
    ...(idle && needs && { needs }),
  };
}
