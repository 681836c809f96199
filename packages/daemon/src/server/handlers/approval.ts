/** Answers to approvals: the first one holds, which the runner sees to. */
import { clientName } from '../caller.ts';
import type { Handlers } from '../dispatch.ts';
import { given } from '../given.ts';
import type { House } from '../house.ts';
import { knownSession } from './session.ts';

export function approvalHandlers({ store, runner }: House): Pick<Handlers, 'approval/answer'> {
  return {
    async 'approval/answer'(params, caller) {
      knownSession(store, params.sessionId);
      await runner.answer({ ...given(params), ...clientName(caller) });
      return {};
    },
  };
}
