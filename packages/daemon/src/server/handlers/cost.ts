/** What was spent, as the store keeps it and the logs explain it, and what the next message would cost. */
import { envOf } from '../caller.ts';
import type { Handlers } from '../dispatch.ts';
import { given } from '../given.ts';
import type { House } from '../house.ts';
import { knownSession } from './session.ts';

export function costHandlers({ store, runner }: House): Pick<Handlers, 'cost/read' | 'cost/forecast'> {
  return {
    'cost/read'({ sessionId, requests }) {
      if (sessionId) knownSession(store, sessionId);
      const { totals, byModel } = store.totals(sessionId);
      const session = sessionId === undefined ? {} : { session: runner.readCost(sessionId, requests) };
      const budgets = [...runner.readBudgets(sessionId)];
      return { totals, byModel: [...byModel], ...session, ...(budgets.length === 0 ? {} : { budgets }) };
    },
    'cost/forecast'({ sessionId, text = '', model }, caller) {
      knownSession(store, sessionId);
      return runner.forecast({ sessionId, text, env: envOf(caller), ...given({ model }) });
    },
  };
}
