/**
 * Does: settles a question. The first answer is committed and then acted on, whoever gives it; a later one is told that it
 * came too late.
 */
import { ZerdError } from '@zerd/protocol/common/errors';
import type { TurnParts } from '../parts.ts';
import type { Runner } from '../runner.ts';

export async function answerQuestion(
  { book, questions }: Pick<TurnParts, 'book' | 'questions'>,
  { sessionId, questionId, answer, by }: Parameters<Runner['answerQuestion']>[0],
): Promise<void> {
  const state = book.state(sessionId);
  const pending = state.pendingQuestions.find((open) => open.questionId === questionId);
  if (!pending && state.closedQuestions.has(questionId)) throw alreadyAnswered(questionId);
  if (!pending)
    throw new ZerdError('invalid_params', `Session ${sessionId} has no question ${questionId}. Read it again.`);
  const { turnId } = pending;
  const commit = () =>
    book.append(sessionId, [{ kind: 'question.answered', turnId, questionId, answer, ...(by && { by }) }]);
  if (!(await questions.settle(questionId, answer, commit))) throw alreadyAnswered(questionId);
}

function alreadyAnswered(questionId: string): ZerdError {
  return new ZerdError(
    'already_resolved',
    `Question ${questionId} was answered before, or its turn has ended; the first answer holds.`,
  );
}
