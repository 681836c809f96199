/**
 * Makes the end of a request of which nobody saw more than that it was sent: its daemon died, or its own end could not be
 * written. What it may have come to is estimated, so that a crash is no way around a limit (I11).
 */
import { estimateLost } from '@zerd/core/accounting/estimate-request';
import type { Price } from '@zerd/core/accounting/price';
import { unreported } from '@zerd/core/model/answer';
import type { OpenRequest, SessionState } from '@zerd/core/session/state';
import type { Failure, SessionEvent } from '@zerd/protocol/common/event';

/** `priceOf`: of provider/model, as the settings are now; null: unpriced. */
export function closeRequest(
  { openRequest }: Pick<SessionState, 'openRequest'>,
  failure: Failure,
  priceOf: (model: string) => Price | null,
): readonly SessionEvent[] {
  return openRequest === undefined ? [] : [lostRequest(openRequest, failure, priceOf(openRequest.model))];
}

function lostRequest({ requestId, turnId, bytes }: OpenRequest, failure: Failure, price: Price | null): SessionEvent {
  const estimated = estimateLost(bytes, price);
  return { kind: 'request.failed', requestId, turnId, failure, usage: unreported, costPico: null, estimated };
}
