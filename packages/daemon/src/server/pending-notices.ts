/**
 * Tells who follows a session what the sub-agents that work for it ask: their events are not in its log. Invariant: when
 * what is asked by a session's tree changes, its followers hear of it, by its own events or by a notice with all of it.
 */
import type { LoggedEvent, SessionEvent } from '@zerd/protocol/common/event';
import type { SessionId } from '@zerd/protocol/common/ids';
import type { Store } from '../base/ports.ts';
import type { Runner } from '../runner/runner.ts';
import { type Broadcast, notice } from './broadcast.ts';

export interface PendingParts {
  readonly store: Pick<Store, 'onCommit' | 'session'>;
  readonly runner: Pick<Runner, 'pendingApprovals' | 'pendingQuestions'>;
  readonly broadcast: Pick<Broadcast, 'tell'>;
}

/** Made after the runner, whose folds have moved when this hears of a commit. */
export function createPendingNotices({ store, runner, broadcast }: PendingParts): Disposable {
  /** What the session at the root asks, with its sub-agents. */
  function tell(sessionId: SessionId): void {
    broadcast.tell(sessionId, () =>
      notice('session/pending', {
        sessionId,
        pendingApprovals: [...runner.pendingApprovals(sessionId)],
        pendingQuestions: [...runner.pendingQuestions(sessionId)],
      }),
    );
  }

  return store.onCommit((sessionId, events) => {
    if (!events.some(mayChange)) return;
    let above = store.session(sessionId)?.parentId;
    while (above !== undefined) {
      tell(above);
      above = store.session(above)?.parentId;
    }
  });
}

/** The end of a turn takes back what it still asked. */
const changing: ReadonlySet<SessionEvent['kind']> = new Set([
  'approval.requested',
  'approval.answered',
  'question.asked',
  'question.answered',
  'turn.finished',
]);

function mayChange({ event }: LoggedEvent): boolean {
  return changing.has(event.kind);
}
