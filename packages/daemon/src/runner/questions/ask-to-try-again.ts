/**
 * Does: when a request has failed as often as it may, asks the user whether to go on, and waits for the word of any client.
 * Where nobody can answer there is nothing to wait for: the turn ends as failed.
 */
import { tryAgain } from '@zerd/core/session/chosen-model';
import { decisionOf } from '@zerd/core/session/own-questions';
import type { Failure } from '@zerd/protocol/common/event';
import type { TurnContext } from '../turn-context.ts';
import { answerIfChosen } from './answer-by-choice.ts';
import { askUser } from './ask-user.ts';

const no = 'Stop';

/** True: once more from the first attempt. Rejects with the signal's reason when interrupted. */
export async function askToTryAgain(turn: TurnContext, { message, code }: Failure): Promise<boolean> {
  if (turn.state().turn?.headless === true) return false;
  const text = `No answer came from ${turn.model.ref}. ${message} (${code}) All that was done is kept. Another model may be chosen instead. Try again?`;
  const onAsked = () =>
    void answerIfChosen(turn.questions, turn.state(), turn.append).catch((error: unknown) =>
      turn.log.warn('a model that was chosen could not be taken as an answer', { error, sessionId: turn.sessionId }),
    );
  const { answer = no } = await askUser(turn, { about: 'retry', text, options: [tryAgain, no], onAsked });
  return decisionOf('retry', answer) === 'yes';
}

/** Undefined: nobody was asked, or the question is settled; else the failure that it is about. */
export function failureAskedAbout(turn: TurnContext): Failure | undefined {
  const { turn: running, pendingQuestions } = turn.state();
  const asked = pendingQuestions.some(({ turnId, about }) => turnId === turn.turnId && about === 'retry');
  return asked ? (running?.failing?.failure ?? lost) : undefined;
}

const lost: Failure = { code: 'provider_failed', message: 'The attempts before a restart failed.' };
