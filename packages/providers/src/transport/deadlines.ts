/**
 * The waits of one attempt on the injected clock: connection, first event, each next event, and all of it together.
 * Invariant: exactly one of them is running with its name and deadline reported (I8), until one expires or all is over.
 */
import type { ProviderFailure } from '@zerd/core/model/answer';
import type { StreamOptions } from '../provider.ts';

export interface Waits {
  connected(): void;
  /** Something arrived that is more than a sign of life. */
  progress(): void;
  stop(): void;
}

/** `place` says where the attempt went, once it is known. */
export function startWaits(
  options: StreamOptions,
  expired: (failure: ProviderFailure) => void,
  place: () => string | undefined,
): Waits {
  const { clock, deadlines, onWait } = options;
  const endsAt = clock.now() + deadlines.totalMs;
  let timer: Disposable | undefined;

  function wait(what: string, ms: number, failure: () => ProviderFailure): void {
    timer?.[Symbol.dispose]();
    const due = clock.now() + ms;
    const [at, why] = due < endsAt ? [due, failure] : [endsAt, () => tooLong(deadlines.totalMs)];
    timer = clock.setTimer(Math.max(0, at - clock.now()), () => expired(why()));
    onWait?.(what, at);
  }

  wait('connection', deadlines.connectMs, () => noConnection(place(), deadlines.connectMs));
  return {
    connected: () => wait('first event', deadlines.firstEventMs, () => noAnswer(deadlines.firstEventMs)),
    progress: () => wait('next event', deadlines.betweenEventsMs, () => stalled(deadlines.betweenEventsMs)),
    stop: () => timer?.[Symbol.dispose](),
  };
}

function noConnection(place: string | undefined, ms: number): ProviderFailure {
  const where = place === undefined ? '' : ` to ${place}`;
  return { code: 'provider_unreachable', message: `No connection${where} within ${span(ms)}.`, retryable: true };
}

function noAnswer(ms: number): ProviderFailure {
  return { code: 'provider_timeout', message: `Connected, but no answer began within ${span(ms)}.`, retryable: true };
}

function stalled(ms: number): ProviderFailure {
  return { code: 'provider_timeout', message: `The answer stalled: nothing new for ${span(ms)}.`, retryable: true };
}

/** The same request would take as long again. */
function tooLong(ms: number): ProviderFailure {
  return { code: 'provider_timeout', message: `The request took longer than ${span(ms)} in all.`, retryable: false };
}

function span(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${Math.round(ms / 100) / 10} s`;
}
