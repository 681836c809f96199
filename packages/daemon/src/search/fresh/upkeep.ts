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

/** Files that were just written count as changed for two seconds more: writing them at once would be in vain. */
const restMs = 3_000;
/** So many changed files are scanned anyway, so that writing them waits until the switch of branches is over. */
const crowd = 4 * changedLimit;
const calmMs = 2_000;
/** Of a tree that is never calm. */
const restlessMs = 60_000;
/** After a failure (a full disk) nothing is tried for so long. */
const retryMs = 10 * 60_000;
/** A tree that was too small is counted again after so long: that takes as long as one search of it. */
const lookAgainMs = 60_000;
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
  let timer: Disposable | undefined;
  let lookAgainAt = clock.now() + lookAgainMs;
  let closed = false;
  let notedAt = clock.now();
  let crowdedAt: number | undefined;
  let calm: Disposable | undefined;

  function run(what: string, job: () => Promise<void>): void {
    if (running || closed || clock.now() < notBefore) return;
    running = job()
      .then(() => rest(restMs))
      .catch((error: unknown) => {
        rest(retryMs);
        if (!closed) log.warn(`the search index could not be ${what}; searches scan where they must`, { error });
      })
      .finally(() => {
        running = undefined;
      });
  }

  function rest(ms: number): void {
    notBefore = clock.now() + ms;
    timer?.[Symbol.dispose]();
    timer = closed ? undefined : clock.setTimer(ms, write);
  }

  function build(): void {
    const { state, why } = index.status();
    if (state === 'none') run('built', () => index.rebuild(why ?? 'there was none'));
    if (state !== 'small' || clock.now() < lookAgainAt) return;
    lookAgainAt = clock.now() + lookAgainMs;
    run('built', () => index.rebuild('the tree may have grown'));
  }

  function noted(): void {
    notedAt = clock.now();
    write();
  }

  function write(): void {
    const { state, files, changed, removed } = index.status();
    if (state !== 'ready' || changed + removed < worthASegment || waitsForCalm(changed + removed)) return;
    if (changed + removed > files / 2) run('rebuilt', () => index.rebuild('most files changed'));
    else run('written', () => index.persist());
  }

  function waitsForCalm(count: number): boolean {
    if (count > crowd) crowdedAt ??= clock.now();
    else crowdedAt = undefined;
    if (crowdedAt === undefined) return false;
    if (clock.now() >= Math.min(notedAt + calmMs, crowdedAt + restlessMs)) {
      crowdedAt = undefined;
      return false;
    }
    calm ??= clock.setTimer(calmMs, () => {
      calm = undefined;
      write();
    });
    return true;
  }

  return {
    build,
    noted,
    async close() {
      closed = true;
      timer?.[Symbol.dispose]();
      calm?.[Symbol.dispose]();
      await running;
    },
  };
}
