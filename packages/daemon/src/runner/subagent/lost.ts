/** Makes the results of calls whose sub-agents the end of a daemon took with it: nothing of their work is lost. */
import { lostWithDaemon } from '@zerd/core/subagents/wording';
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { SessionId } from '@zerd/protocol/common/ids';
import type { Book } from '../book.ts';

/** For a session that no turn works on. */
export function lostResults(book: Book, parent: SessionId): readonly SessionEvent[] {
  const { subagents, openCalls } = book.state(parent);
  return subagents.flatMap(({ callId, sessionId, title }): readonly SessionEvent[] => {
    const call = openCalls.find((open) => open.callId === callId);
    if (call === undefined) return [];
    const shown = lostWithDaemon(title, sessionId, book.state(sessionId));
    const bytes = Buffer.byteLength(shown);
    return [
      { kind: 'toolCall.finished', turnId: call.turnId, callId, outcome: 'unknown', shown, bytes, durationMs: 0 },
    ];
  });
}
