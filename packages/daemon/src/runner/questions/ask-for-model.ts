/**
 * Does: asks the user what the model wants to know; the answer is the result of the call. A question has no effect, so
 * nothing of it begins: after a crash the same one is waited for again, and an answer that came is not asked for again.
 */
import type { OpenCall } from '@zerd/core/session/state';
import type { ToolInput } from '@zerd/core/tools/declarations';
import { resultWithoutRun } from '../result-without-run.ts';
import type { TurnContext } from '../turn-context.ts';
import { askUser, type UserAnswer } from './ask-user.ts';

export async function askForModel(
  turn: TurnContext,
  call: OpenCall,
  { text, options = [] }: ToolInput<'question'>,
): Promise<undefined> {
  const { answer, reason } = call.answered ?? (await askUser(turn, { callId: call.callId, text, options }));
  await turn.append([
    answer === undefined ? resultWithoutRun(call, 'denied', unanswered(reason)) : resultWithoutRun(call, 'ok', answer),
  ]);
}

function unanswered(reason: UserAnswer['reason']): string {
  return `Not answered${reason === undefined ? '' : `: ${reason}`}. Decide yourself where you can, and say what you assumed.`;
}
