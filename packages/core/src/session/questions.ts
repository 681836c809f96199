/**
 * What is asked of the user in words, as a part of the fold. Invariant: a question that can no longer be answered is
 * closed: answered itself, or its call or turn has ended.
 */
import type { SessionEvent } from '@zerd/protocol/common/event';
import { changeCall } from './approvals.ts';
import type { Growth } from './growth.ts';
import type { OpenQuestion, SessionState } from './state.ts';
import { gotFurther } from './turns.ts';

type EventOf<K extends SessionEvent['kind']> = Extract<SessionEvent, { kind: K }>;
type Change = Partial<SessionState>;

export function askQuestion(state: SessionState, event: EventOf<'question.asked'>, at: number): Change {
  const { questionId, turnId, callId, about, text, options = [] } = event;
  const asked: OpenQuestion = { questionId, turnId, callId, about, text, options, askedAt: at };
  return { pendingQuestions: [...state.pendingQuestions, asked] };
}

export function answerQuestion(state: SessionState, event: EventOf<'question.answered'>, grow: Growth): Change {
  const { questionId, turnId, answer, reason } = event;
  const open = state.pendingQuestions.find((pending) => pending.questionId === questionId);
  if (open === undefined) return {};
  const answered = { answer, reason };
  const { callId } = open;
  return {
    ...closeQuestions(state, grow, (pending) => pending === open),
    turn: gotFurther(state.turn, turnId),
    ...(callId === undefined
      ? {}
      : { openCalls: changeCall(state.openCalls, callId, (call) => ({ ...call, answered })) }),
  };
}

export function closeQuestions(state: SessionState, grow: Growth, closes: (pending: OpenQuestion) => boolean): Change {
  const closed = state.pendingQuestions.filter(closes);
  if (closed.length === 0) return {};
  return {
    pendingQuestions: state.pendingQuestions.filter((pending) => !closes(pending)),
    closedQuestions: grow.add(
      state.closedQuestions,
      closed.map((pending) => pending.questionId),
    ),
  };
}
