/** Draws what sub-agents ask: it is not among the events of the session that is watched. */
import type { PendingApproval, PendingQuestion } from '@zerd/protocol/common/methods';
import { type Line, linesOf } from './paint.ts';

/** Lines for what is not in `drawn`, which takes it in. What the session itself asks is drawn by its events. */
export function subagentLines(
  drawn: Set<string>,
  approvals: readonly PendingApproval[],
  questions: readonly PendingQuestion[],
): readonly Line[] {
  const asks = [
    ...approvals.map(({ approvalId: id, sessionId, tool, asks }) => ({ id, sessionId, head: `${tool} asks`, asks })),
    ...questions.map(({ questionId: id, sessionId, text }) => ({ id, sessionId, head: 'the model asks', asks: text })),
  ];
  return asks.flatMap(({ id, sessionId, head, asks: text }): readonly Line[] => {
    if (sessionId === undefined || drawn.has(id)) return [];
    drawn.add(id);
    return [
      { tone: 'warn', text: `? ${head} in sub-agent ${sessionId}:` },
      ...linesOf(text).map((line) => ({ ...line, text: `  ${line.text}` })),
    ];
  });
}
