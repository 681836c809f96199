/**
 * Does: settles a question. The first answer is committed and then acted on, whoever gives it; a later one is told that it
 * came too late, and what is neither a yes nor a no to a question of zerd's own is none.
 */
import { decisionOf, isOwnQuestion } from '@zerd/core/session/own-questions';
import type { OpenQuestion } from '@zerd/core/session/state';
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
  if (isOwnQuestion(pending.about) && decisionOf(pending.about, answer) === undefined) throw noAnswer(pending, answer);
  const { turnId } = pending;
  const commit = () =>
    book.append(sessionId, [{ kind: 'question.answered', turnId, questionId, answer, ...(by && { by }) }]);
  if (!(await questions.settle(questionId, answer, commit))) throw alreadyAnswered(questionId);
}

function noAnswer({ options }: OpenQuestion, answer: string): ZerdError {
  const said = answer.length > 60 ? `${[...answer].slice(0, 60).join('')}…` : answer;
  return new ZerdError(
    'invalid_params',
    `'${said}' does not answer what is asked; nothing was done. Answer with: ${options.join(', or ')}.`,
  );
}

function alreadyAnswered(questionId: string): ZerdError {
  return new ZerdError(
    'already_resolved',
    `Question ${questionId} was answered before, or its turn has ended; the first answer holds.`,
  );
}
