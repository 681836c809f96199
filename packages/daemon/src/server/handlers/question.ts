/** Answers to questions: the first one holds, which the runner sees to. */
import { clientName } from '../caller.ts';
import type { Handlers } from '../dispatch.ts';
import type { House } from '../house.ts';
import { knownSession } from './session.ts';

export function questionHandlers({ store, runner }: House): Pick<Handlers, 'question/answer'> {
  return {
    async 'question/answer'(params, caller) {
      knownSession(store, params.sessionId);
      await runner.answerQuestion({ ...params, ...clientName(caller) });
      return {};
    },
  };
}
