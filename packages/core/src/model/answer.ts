/**
 * What comes back, in no provider's language. A wire's `decode` is `(state, chunk) -> [state, events]`; exactly one
 * terminal event (`finished` or `failed`) ends an answer, and an end of the stream without it is a failure.
 */

import type { Diagnosis } from '@zerd/protocol/common/cost-events';
import type { ErrorCode } from '@zerd/protocol/common/errors';
import type { AssistantBlock, StopReason } from '@zerd/protocol/common/event';
import type { Usage } from '@zerd/protocol/common/usage';

export type DeltaChannel = 'text' | 'reasoning' | 'toolInput';

export interface Answer {
  /** Blocks as received, in order. Tool-call ids are the provider's own and not yet checked for uniqueness. */
  readonly content: readonly AssistantBlock[];
  readonly stopReason: StopReason;
  readonly usage: Usage;
  /** What the provider itself says the request cost, integer pico-dollars; wins over any price row. */
  readonly billedPico?: number;
  /** Reasoning items of earlier answers that the provider kept from the model, as something before them changed (I3). */
  readonly removedReasoning?: number;
  /** The provider's own name of this answer. */
  readonly responseId?: string;
  /** What the provider says of its cache and this request. */
  readonly diagnosis?: Diagnosis;
}

/** The provider said nothing of what a request came to. */
export const unreported: Usage = { uncached: 0, cacheRead: 0, cacheWrite: 0, output: 0, reported: false };

/** Why an attempt failed, and whether another may be made. */
export interface ProviderFailure {
  readonly code: Extract<ErrorCode, `provider_${string}` | 'context_overflow'>;
  /** The provider's own words where there are any. Never holds a key. */
  readonly message: string;
  readonly status?: number;
  /** Another attempt with the same bytes may succeed. */
  readonly retryable: boolean;
  /** What the provider asked to wait. */
  readonly retryAfterMs?: number;
}

export type ModelEvent =
  /** A piece of the answer, for showing only. */
  | { readonly kind: 'delta'; readonly channel: DeltaChannel; readonly text: string }
  /** Something arrived that is no progress (a ping, a comment). */
  | { readonly kind: 'alive' }
  | { readonly kind: 'finished'; readonly answer: Answer }
  | { readonly kind: 'failed'; readonly failure: ProviderFailure };
