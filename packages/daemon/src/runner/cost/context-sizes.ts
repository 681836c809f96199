/** Does: says how many tokens a prompt of a session has, and how many its model takes. */
import { ledgerOf } from '@zerd/core/accounting/ledger';
import { promptOf } from '@zerd/core/context/relieve/prompt-tokens';
import type { SessionState } from '@zerd/core/session/state';
import type { RequestId, SessionId } from '@zerd/protocol/common/ids';
import { describeKnown } from '../../config/models.ts';
import type { ClientEnv, Runner } from '../runner.ts';
import { type ForecastParts, forecastTurn } from './forecast-turn.ts';

/** `requestId` undefined: the next one, as it would be now. */
export function contextSizes(
  parts: ForecastParts,
  state: SessionState,
  sessionId: SessionId,
  requestId: RequestId | undefined,
  env: ClientEnv,
): ReturnType<Runner['contextSizes']> {
  const described = describeKnown(parts.readConfig(), state.model);
  if (described === undefined) return {};
  const { contextWindow } = parts.known(described);
  const window = contextWindow === null ? {} : { contextWindow };
  if (requestId === undefined)
    return { tokens: forecastTurn(parts, state, { sessionId, text: '', env }).prompt, ...window };
  const usage = ledgerOf(parts.store.read(sessionId)).requests.find((one) => one.requestId === requestId)?.usage;
  return usage?.reported === true ? { tokens: promptOf(usage), ...window } : window;
}
