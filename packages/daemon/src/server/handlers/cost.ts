/** Totals of requests, tokens and money, as the store keeps them. */
import type { Handlers } from '../dispatch.ts';
import type { House } from '../house.ts';
import { knownSession } from './session.ts';

export function costHandlers({ store }: House): Pick<Handlers, 'cost/read'> {
  return {
    'cost/read'({ sessionId }) {
      if (sessionId) knownSession(store, sessionId);
      const { totals, byModel } = store.totals(sessionId);
      return { totals, byModel: [...byModel] };
    },
  };
}
