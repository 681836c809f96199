/**
 * Does: changes what a session may do, and answers what it was asked about and now may. Invariant: its sub-agents never may
 * do more than it may.
 */
import { type ApprovalAnswered, answersOfMode } from '@zerd/core/permissions/answers-of-mode';
import { narrower } from '@zerd/core/subagents/may-start';
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { SessionId } from '@zerd/protocol/common/ids';
import type { Mode } from '@zerd/protocol/common/mode';
import { answerIfAllowed, settleAll } from './approvals/answer-by-mode.ts';
import type { TurnParts } from './parts.ts';

type Parts = Pick<TurnParts, 'book' | 'gate'>;

/** `by`: the name of the client. */
export async function setMode(parts: Parts, sessionId: SessionId, mode: Mode, by?: string): Promise<void> {
  const { book, gate } = parts;
  const state = book.state(sessionId);
  for (const { sessionId: child } of state.subagents)
    await setMode(parts, child, narrower(mode, book.state(child).mode), by);
  if (book.state(sessionId).mode === mode) return;
  const signed = (answers: readonly ApprovalAnswered[]) => answers.map((one) => ({ ...one, ...(by && { by }) }));
  const append = (events: readonly SessionEvent[]) => book.append(sessionId, events);
  const changed = { kind: 'mode.changed', mode } as const;
  await settleAll(gate, answersOfMode(book.state(sessionId), mode), (ours) => append([changed, ...signed(ours)]));
  await answerIfAllowed(gate, book.state(sessionId), (ours) => append(signed(ours)));
}
