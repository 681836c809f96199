/** Turns: started and ended by the runner; their progress comes as events. */
import { ZerdError } from '@zerd/protocol/common/errors';
import { envOf } from '../caller.ts';
import type { Handlers } from '../dispatch.ts';
import { given } from '../given.ts';
import type { House } from '../house.ts';
import { knownSession } from './session.ts';

export function turnHandlers({ store, runner }: House): Pick<Handlers, 'turn/start' | 'turn/interrupt'> {
  return {
    'turn/start'(params, caller) {
      knownSession(store, params.sessionId);
      if (params.text.trim() === '')
        throw new ZerdError('invalid_params', 'The message is empty. Nothing was started.');
      return runner.startTurn({ env: envOf(caller), ...given(params) });
    },
    async 'turn/interrupt'({ sessionId, turnId }) {
      knownSession(store, sessionId);
      return { interrupted: await runner.interrupt(sessionId, turnId) };
    },
  };
}
