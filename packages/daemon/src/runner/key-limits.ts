/**
 * Does: lets all turns that use a key wait together when its provider is short of room, each wait in sight and ended by
 * an interrupt. One for all turns of the runner; what holds for a key is forgotten with the daemon.
 */
import type { ProviderFailure } from '@zerd/core/model/answer';
import { afterAnswer, afterFailure, type KeyLimit, passage, waitMs } from '@zerd/core/model/key-limit';
import type { Failure } from '@zerd/protocol/common/event';
import type { SessionId } from '@zerd/protocol/common/ids';
import type { Clock } from '@zerd/protocol/node/clock';
import type { Endpoint } from '@zerd/providers/provider';
import type { Waits } from '../base/waits.ts';
import type { ResolvedModel } from '../config/models.ts';

export interface Passenger {
  readonly sessionId: SessionId;
  readonly model: Pick<ResolvedModel, 'ref' | 'endpoint'>;
  readonly signal: AbortSignal;
}

export interface KeyLimits {
  /** Settles when a request may be sent, or with why it may not. Rejects with the signal's reason. `asked`: by a person, just now. */
  pass(passenger: Passenger, asked: boolean): Promise<Failure | undefined>;
  /** How an attempt that began at `startedAt` (clock.now()) ended. */
  answered(endpoint: Endpoint, startedAt: number): void;
  failed(endpoint: Endpoint, failure: ProviderFailure, startedAt: number): void;
  /** Milliseconds until one who failed just now may try again, apart from the others; 0: the key is open. */
  opensIn(endpoint: Endpoint): number;
}

export function createKeyLimits(clock: Clock, waits: Waits): KeyLimits {
  const limits = new Map<string, KeyLimit>();
  const keep = (endpoint: Endpoint, limit: KeyLimit | undefined) => {
    if (limit === undefined) limits.delete(keyOf(endpoint));
    else limits.set(keyOf(endpoint), limit);
  };
  const limitOf = (endpoint: Endpoint) => limits.get(keyOf(endpoint));

  async function pass({ sessionId, model, signal }: Passenger, asked: boolean): Promise<Failure | undefined> {
    const since = clock.now();
    for (let first = true; ; first = false) {
      const limit = limitOf(model.endpoint);
      const now = clock.now();
      const next = passage(limit, { now, since, asked: asked && first, random01: Math.random() });
      if (limit === undefined || next.kind === 'go') return undefined;
      if (next.kind === 'stop') return { code: limit.why, message: next.reason };
      const name = `${model.ref} to take requests again after ${limit.why} in another session`;
      const shown = waits.begin(name, sessionId, now + next.afterMs);
      try {
        await clock.sleep(next.afterMs, signal);
      } finally {
        shown[Symbol.dispose]();
      }
    }
  }

  return {
    pass,
    answered: (endpoint, startedAt) => keep(endpoint, afterAnswer(limitOf(endpoint), startedAt)),
    failed: (endpoint, failure, startedAt) =>
      keep(endpoint, afterFailure(limitOf(endpoint), failure, { startedAt, now: clock.now() })),
    opensIn: (endpoint) => waitMs((limitOf(endpoint)?.opensAt ?? 0) - clock.now(), Math.random()),
  };
}

/** In memory only, as the key itself. */
function keyOf({ wire, baseUrl, apiKey }: Endpoint): string {
  return JSON.stringify([wire, baseUrl, apiKey]);
}
