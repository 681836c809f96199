/** Says what is waited for when nothing happened for a while, so that no wait is silent (I8). */
import type { Wait } from '@zerd/protocol/common/methods';
import type { Clock } from '@zerd/protocol/node/clock';
import { duration } from '../present/cost-line.ts';
import type { Line } from '../present/paint.ts';

const silenceMs = 10_000;

export interface WaitTeller extends Disposable {
  /** Something happened: the silence begins anew. */
  stir(): void;
}

/** `waits` asks the daemon; when it cannot be asked, the following session says so elsewhere. */
export function tellWaits(clock: Clock, waits: () => Promise<readonly Wait[]>, tell: (line: Line) => void): WaitTeller {
  let timer = clock.setTimer(silenceMs, fire);
  let over = false;
  function stir(): void {
    timer[Symbol.dispose]();
    timer = clock.setTimer(silenceMs, fire);
  }
  async function ask(): Promise<void> {
    try {
      for (const wait of await waits()) if (!over) tell(waitLine(wait, clock.wall()));
    } catch {
      // Who follows the session learns of a lost daemon and says so; here there is only nothing to tell.
    }
    if (!over) stir();
  }
  function fire(): void {
    void ask();
  }
  return {
    stir,
    [Symbol.dispose]() {
      over = true;
      timer[Symbol.dispose]();
    },
  };
}

/** What blocks until somebody does something, once each: for a log that nobody watches. */
export function blocksOnce(waits: () => Promise<readonly Wait[]>): () => Promise<readonly Wait[]> {
  const told = new Set<string>();
  return async () => {
    const fresh = (await waits()).filter((wait) => wait.blocks === true && !told.has(wait.for));
    for (const wait of fresh) told.add(wait.for);
    return fresh;
  };
}

export function waitLine(wait: Wait, now: number): Line {
  const most = wait.deadlineAt === undefined ? '' : `, at most ${atMost(wait.deadlineAt - wait.sinceAt)}`;
  return { tone: 'dim', text: `waiting for ${wait.for}: ${duration(Math.max(0, now - wait.sinceAt))}${most}` };
}

const hourMs = 60 * 60_000;

function atMost(ms: number): string {
  return ms < 2 * hourMs ? duration(ms) : `${Math.round(ms / hourMs)} h`;
}
