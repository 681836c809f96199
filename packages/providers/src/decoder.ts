/**
 * How a wire's answer is read: a pure fold over parsed chunks. Invariants: exactly one terminal event (`finished` or
 * `failed`) comes out, from `decode` or, when the stream ends before one, from `atEnd`; a chunk that carries nothing new
 * gives `alive` alone, any other chunk is progress, also when it gives no event.
 */
import type { ModelEvent } from '@zerd/core/model/answer';
import type { JsonValue } from '@zerd/protocol/common/json';
import type { Usage } from '@zerd/protocol/common/usage';

export interface Decoder<S> {
  readonly initialState: S;
  decode(state: S, chunk: JsonValue): readonly [S, readonly ModelEvent[]];
  atEnd(state: S): readonly ModelEvent[];
  /** What the provider has reported so far, and charges for even when no answer comes; absent: it reports at the end only. */
  spent?(state: S): Usage | undefined;
}
