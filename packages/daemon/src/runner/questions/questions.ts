/** Who waits in this process for the answer to a question; the question itself stands in the log. */
import type { QuestionId } from '@zerd/protocol/common/ids';
import type { Clock } from '@zerd/protocol/node/clock';
import { type AnswerDesk, createAnswerDesk } from '../../base/answer-desk.ts';

/** The words of the user. */
export type Questions = AnswerDesk<QuestionId, string>;

export function createQuestions(clock: Clock): Questions {
  return createAnswerDesk(clock);
}
