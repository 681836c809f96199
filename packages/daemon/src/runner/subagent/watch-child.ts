/**
 * Watches one sub-agent: tells when its first answer begins, and when it has run or been silent for too long. Invariant:
 * a sub-agent that is watched ends, or `tooLong` is called; nothing is left running behind `dispose`.
 */
import { nextSilence, type SilentAt } from '@zerd/core/subagents/silence';
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { SessionId } from '@zerd/protocol/common/ids';
import type { Clock } from '@zerd/protocol/node/clock';
import type { Store } from '../../base/ports.ts';
import type { Delta } from '../runner.ts';

export interface ChildLimits {
  /** Milliseconds: in all, and without a word of the model while it is waited for. */
  readonly totalMs: number;
  readonly silenceMs: number;
}

export interface WatchParts {
  readonly store: Pick<Store, 'onCommit'>;
  readonly clock: Clock;
  onDelta(listener: (delta: Delta) => void): Disposable;
}

export interface ChildWatcher {
  answers(): void;
  /** At most once. */
  tooLong(why: string, afterMs: number): void;
}

export function watchChild(
  { store, clock, onDelta }: WatchParts,
  child: SessionId,
  limits: ChildLimits,
  watcher: ChildWatcher,
): Disposable {
  const begun = clock.now();
  let silentAt: SilentAt;
  let alarm: Disposable | undefined;

  function happened(what: SessionEvent | 'delta'): void {
    if (what === 'delta' || beginsOrEnds.has(what.kind)) watcher.answers();
    silentAt = nextSilence(silentAt, what, { now: clock.now(), wall: clock.wall(), limitMs: limits.silenceMs });
    if (alarm === undefined && silentAt !== undefined) setAlarm(silentAt);
  }

  /** Deltas come often: the alarm looks when it rings whether it was put off meanwhile. */
  function setAlarm(at: number): void {
    alarm = clock.setTimer(Math.max(0, at - clock.now()), () => {
      alarm = undefined;
      if (silentAt === undefined) return;
      if (clock.now() < silentAt) setAlarm(silentAt);
      else end(`its model said nothing for ${inWords(limits.silenceMs)}`, limits.silenceMs);
    });
  }

  function end(why: string, afterMs: number): void {
    close();
    watcher.tooLong(why, afterMs);
  }

  function close(): void {
    commits[Symbol.dispose]();
    deltas[Symbol.dispose]();
    total[Symbol.dispose]();
    alarm?.[Symbol.dispose]();
    alarm = undefined;
  }

  const commits = store.onCommit((sessionId, events) => {
    if (sessionId === child) for (const { event } of events) happened(event);
  });
  const deltas = onDelta(({ sessionId }) => {
    if (sessionId === child) happened('delta');
  });
  const total = clock.setTimer(limits.totalMs, () =>
    end(`it ran for ${inWords(limits.totalMs)}`, Math.round(clock.now() - begun)),
  );
  return { [Symbol.dispose]: close };
}

/** A first request that failed leaves no entry to wait for. */
const beginsOrEnds: ReadonlySet<SessionEvent['kind']> = new Set([
  'assistant.finished',
  'request.failed',
  'turn.finished',
]);

function inWords(ms: number): string {
  return ms % 60_000 === 0 ? `${ms / 60_000} min` : `${Math.round(ms / 1_000)} s`;
}
