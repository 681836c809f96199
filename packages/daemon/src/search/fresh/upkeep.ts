/**
 * Decides when an index is built, and when what was noted is written: before each query has too much to read anew.
 * Invariant: one of them runs at a time; what fails is told once and tried again later, and answers stay right meanwhile.
 */
import type { Clock } from '@zerd/protocol/node/clock';
import type { Log } from '../../base/log.ts';
import { changedLimit, type SearchIndex } from '../index/contract.ts';

export interface Upkeep {
  /** Builds when there is no index. */
  build(): void;
  /** Something was noted. */
  noted(): void;
  /** Settles when nothing runs any more. */
  close(): Promise<void>;
}

/** After a failure (a full disk) nothing is tried for so long. */
const retryMs = 10 * 60_000;
/** Changed files that are worth a segment: well before each query feels them. */
const worthASegment = Math.floor(changedLimit * 0.6);

export function createUpkeep({
  index,
  clock,
  log,
}: {
  readonly index: SearchIndex;
  readonly clock: Clock;
  readonly log: Log;
}): Upkeep {
  let running: Promise<void> | undefined;
  let notBefore = 0;
  let closed = false;

  function run(what: string, job: () => Promise<void>): void {
    if (running || closed || clock.now() < notBefore) return;
    running = job()
      .catch((error: unknown) => {
        notBefore = clock.now() + retryMs;
        if (!closed) log.warn(`the search index could not be ${what}; searches scan where they must`, { error });
      })
      .finally(() => {
        running = undefined;
        noted();
      });
  }

  function build(): void {
    if (index.status().state === 'none') run('built', () => index.rebuild(index.status().why ?? 'there was none'));
  }

  function noted(): void {
    const { state, files, changed, removed } = index.status();
    if (state !== 'ready' || changed + removed < worthASegment) return;
    if (changed + removed > files / 2) run('rebuilt', () => index.rebuild('most files changed'));
    else run('written', () => index.persist());
  }

  return {
    build,
    noted,
    async close() {
      closed = true;
      await running;
    },
  };
}
