/** Draws what sub-agents ask: it is not among the events of the session that is watched. */
import type { SessionId } from '@zerd/protocol/common/ids';
import type { PendingNotice } from '@zerd/protocol/node/follow';
import type { Line } from './paint.ts';
import { pendingLines, pendingOf } from './pending.ts';

/** Lines for what is not in `drawn`, which takes it in. What the session itself asks is drawn by its events. */
export function subagentLines(drawn: Set<string>, notice: PendingNotice): readonly Line[] {
  const sessionId: SessionId = notice.sessionId;
  return pendingOf(sessionId, notice).flatMap((pending): readonly Line[] => {
    if (pending.sessionId === sessionId || drawn.has(pending.id)) return [];
    drawn.add(pending.id);
    return [{ tone: 'dim', text: `sub-agent ${pending.sessionId} asks:` }, ...pendingLines(pending)];
  });
}
