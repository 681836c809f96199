/**
 * Does: gives a task to a sub-agent and counts those that run. Invariant: of one tree of sessions no more run at once
 * than the limits say, however many calls an answer holds.
 */
import { refuseStart } from '@zerd/core/subagents/may-start';
import type { SessionId } from '@zerd/protocol/common/ids';
import { failed } from '../../base/tool-answer.ts';
import type { Book } from '../book.ts';
import type { ChildParts, ChildTurns, Subagents } from './ports.ts';
import { createStagger } from './stagger.ts';
import { workFor } from './work.ts';

export function createSubagents(parts: ChildParts, turns: ChildTurns): Subagents {
  const stagger = createStagger(parts.clock);
  /** Those that run, by the session at the top of their tree. */
  const running = new Map<SessionId, number>();
  return {
    async delegate(task) {
      const top = topOf(parts.book, task.turn.sessionId);
      const { parent } = task.turn.state().created;
      const now = running.get(top) ?? 0;
      const refusal = refuseStart(parts.readConfig().subagents, parent?.depth ?? 0, now);
      if (refusal !== undefined) return failed(refusal);
      running.set(top, now + 1);
      try {
        return await workFor(parts, turns, stagger, task);
      } finally {
        running.set(top, (running.get(top) ?? 1) - 1);
      }
    },
  };
}

function topOf(book: Book, sessionId: SessionId): SessionId {
  const { parent } = book.state(sessionId).created;
  return parent === undefined ? sessionId : topOf(book, parent.sessionId);
}
