/**
 * Joins the pieces of an answer that arrive within 25 ms: clients draw no faster, and each message costs both ends.
 * Order is kept: a change of channel sends what is waiting first. What waits when the answer ends is sent at once.
 */
import type { DeltaChannel } from '@zerd/core/model/answer';
import type { Clock } from '@zerd/protocol/node/clock';

const coalesceMs = 25;

export interface DeltaBuffer {
  add(channel: DeltaChannel, text: string): void;
  flush(): void;
}

export function createDeltaBuffer(clock: Clock, send: (channel: DeltaChannel, text: string) => void): DeltaBuffer {
  let waiting: { channel: DeltaChannel; text: string } | undefined;
  let timer: Disposable | undefined;
  function flush(): void {
    timer?.[Symbol.dispose]();
    timer = undefined;
    const ready = waiting;
    waiting = undefined;
    if (ready) send(ready.channel, ready.text);
  }
  return {
    add(channel, text) {
      if (waiting && waiting.channel !== channel) flush();
      waiting = { channel, text: (waiting?.text ?? '') + text };
      timer ??= clock.setTimer(coalesceMs, flush);
    },
    flush,
  };
}
