/** The end of a daemon: begun once, for whatever reason comes first, and watched so that it comes to a close. */
import type { Clock } from '@zerd/protocol/node/clock';
import type { Log } from '../base/log.ts';
import type { Teardown } from './teardown.ts';

export interface Ending {
  /** Begins to stop, or joins the stop that has begun. */
  stop(why: string): Promise<void>;
  /** Settles when nothing is left. */
  readonly stopped: Promise<void>;
}

export interface EndingOptions {
  readonly teardown: Teardown;
  readonly clock: Clock;
  readonly log: Log;
  /** Called when stopping takes longer than it may. */
  readonly overdue: () => void;
}

/** A turn ends within a second and connections within two. */
const deadlineMs = 15_000;

export function createEnding({ teardown, clock, log, overdue }: EndingOptions): Ending {
  let begun = false;
  let settle = () => {};
  const stopped = new Promise<void>((resolve) => {
    settle = resolve;
  });

  async function end(why: string): Promise<void> {
    log.info('stopping', { why });
    const timer = clock.setTimer(deadlineMs, () => {
      log.error('stopping took too long', { seconds: deadlineMs / 1000 });
      overdue();
    });
    await teardown.run(log);
    timer[Symbol.dispose]();
    log.info('stopped');
    settle();
  }

  return {
    stopped,
    stop(why) {
      if (!begun) void end(why);
      begun = true;
      return stopped;
    },
  };
}
