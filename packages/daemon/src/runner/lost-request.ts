/**
 * Makes the end of a request of which nobody saw more than that it was sent: its daemon died, or its own end could not be
 * written. What it may have come to is estimated, so that a crash is no way around a limit (I11).
 */
import { estimateLost } from '@zerd/core/accounting/estimate-request';
import type { Price } from '@zerd/core/accounting/price';
import { unreported } from '@zerd/core/model/answer';
import { imageTokensAfter } from '@zerd/core/session/images';
import type { OpenRequest, SessionState } from '@zerd/core/session/state';
import type { Estimate } from '@zerd/protocol/common/cost-events';
import type { Failure, SessionEvent } from '@zerd/protocol/common/event';

/** `priceOf`: of provider/model, as the settings are now; null: unpriced. */
export function closeRequest(
  state: Pick<SessionState, 'openRequest' | 'items' | 'trims' | 'refusedImages'>,
  failure: Failure,
  priceOf: (model: string) => Price | null,
): readonly SessionEvent[] {
  const { openRequest } = state;
  if (openRequest === undefined) return [];
  const estimated = estimateLost(openRequest.bytes, imageTokensAfter(state, 0), priceOf(openRequest.model));
  return [lostRequest(openRequest, failure, estimated)];
}

function lostRequest({ requestId, turnId }: OpenRequest, failure: Failure, estimated: Estimate): SessionEvent {
  return { kind: 'request.failed', requestId, turnId, failure, usage: unreported, costPico: null, estimated };
}
