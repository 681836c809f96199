/**
 * Keeps an index as new as the tree: builds one when there is none, has the tree watched while it is used, and passes on
 * what changed. Invariants: nothing is watched before an index is there and somebody searches; a question never waits
 * longer than its deadline; where nothing can be proved the answer is `scan`.
 */
import type { Ranking } from '@zerd/core/search/fuzzy-paths';
import type { Clock } from '@zerd/protocol/node/clock';
import type { Log } from '../../base/log.ts';
import { changedLimit, type Freshness, type IndexChange, type SearchIndex } from '../index/contract.ts';
import { createUpkeep } from './upkeep.ts';
import { knownFiles, type OpenWatch, type WatchPort, type WatchState } from './watch-port.ts';
import { within } from './within.ts';

export interface FreshState {
  /** off: nothing is watched now. The others are those of the watch. */
  readonly phase: 'off' | WatchState['phase'];
  readonly watches: number;
  readonly why?: string;
  readonly catchUpMs?: number;
  readonly caughtUpAt?: number;
  readonly overflows: number;
}

export interface KeptFresh extends Freshness {
  state(): FreshState;
  /** Begins what is missing: the index, the watch. Nothing is awaited. */
  wake(): void;
  /** Undefined: nothing is watched. `synced`: the list is that of now. */
  rank(
    typed: string,
    limit: number,
    signal: AbortSignal,
  ): Promise<(Ranking & { readonly synced: boolean }) | undefined>;
  /** Undefined: it is not known for certain. */
  find(pattern: string, signal: AbortSignal): Promise<readonly string[] | undefined>;
}

export interface FreshParts {
  readonly index: SearchIndex;
  /** A real path. */
  readonly root: string;
  readonly cookieFolder: string;
  readonly clock: Clock;
  /** By which the watch is kept up and given up: no wait that somebody's deadline hangs on. Absent: `clock`. */
  readonly idleClock?: Clock;
  readonly log: Log;
  readonly openWatch: OpenWatch;
  /** Something that everybody may want to know happened: what is watched has changed. */
  readonly onState?: (state: FreshState) => void;
  /** How long a proof is waited for, also by who types. */
  readonly deadlineMs?: number;
  readonly idleMs?: number;
}

/** Waiting longer for a proof costs more than scanning most trees. */
const usualDeadlineMs = 400;
/** Without watches the whole tree is walked for a proof; that is less than half of a scan. */
const walkDeadlineMs = 3_000;
/** Who types does not wait. */
const rankDeadlineMs = 50;
const usualIdleMs = 10 * 60_000;
/** After a watch that ended by itself; each further time four times as long. */
const restartMs = 60_000;

export function keepFresh(parts: FreshParts): KeptFresh {
  const { index, clock, log, root, cookieFolder, onState = () => {} } = parts;
  const { deadlineMs = usualDeadlineMs, idleMs = usualIdleMs, idleClock = clock } = parts;
  const upkeep = createUpkeep({ index, clock: idleClock, log });
  let watch: WatchPort | undefined;
  let state: FreshState = { phase: 'off', watches: 0, overflows: 0 };
  let usedAt = idleClock.now();
  let mayOpenAt = 0;
  let ended = 0;
  let idle: Disposable | undefined;
  let closed = false;
  const statuses = index.onStatus(({ state: to }) => {
    if (to === 'ready' && idleClock.now() - usedAt < idleMs) open();
  });

  function tell(to: FreshState): void {
    if (to.phase === 'polling' && state.phase !== 'polling') {
      log.warn('the tree is not watched: it is walked when somebody searches', { why: to.why, root });
    }
    state = to;
    onState(to);
  }

  function use(): void {
    usedAt = idleClock.now();
    if (closed) return;
    upkeep.build();
    if (index.status().state === 'ready') open();
  }

  function open(): void {
    if (watch || closed || idleClock.now() < mayOpenAt) return;
    const files = index.files();
    if (!files) return;
    tell({ phase: 'starting', watches: 0, overflows: state.overflows });
    const opened = parts.openWatch(
      { root, cookieFolder, known: knownFiles(files.count, (n) => files.at(n)) },
      {
        onChange: take,
        onState: (to) => {
          if (watch !== opened) return;
          tell(to);
          if (to.phase !== 'ended') return;
          mayOpenAt = idleClock.now() + restartMs * 4 ** ended;
          ended += 1;
          watch = undefined;
        },
        onDefect: (error) => log.error('the watch over the tree ended by a defect', { error, root }),
      },
    );
    watch = opened;
    armIdle();
  }

  function take(change: IndexChange): void {
    index.note(change);
    upkeep.noted();
  }

  function armIdle(): void {
    idle?.[Symbol.dispose]();
    idle = idleClock.setTimer(idleMs, () => {
      if (idleClock.now() - usedAt < idleMs) armIdle();
      else void stop();
    });
  }

  async function stop(): Promise<void> {
    const opened = watch;
    watch = undefined;
    idle?.[Symbol.dispose]();
    idle = undefined;
    await opened?.close();
    tell({ phase: 'off', watches: 0, overflows: state.overflows });
  }

  async function prove(ms: number, signal: AbortSignal): Promise<boolean> {
    if (!watch) return false;
    const walks = watch.state().phase === 'polling';
    return (await within(watch.sync(), { ms: walks ? Math.max(ms, walkDeadlineMs) : ms, clock, signal })) ?? false;
  }

  return {
    state: () => state,
    wake: use,
    async settle(signal) {
      use();
      if (index.status().state !== 'ready') return { synced: false, scan: true };
      const synced = await prove(deadlineMs, signal);
      // So many changed files are read more slowly one by one than the tree is scanned.
      const scan = !synced || index.status().changed > 4 * changedLimit;
      return scan ? { synced: false, scan } : { synced };
    },
    async rank(typed, limit, signal) {
      use();
      const opened = watch;
      if (opened?.state().caughtUpAt === undefined) return undefined;
      const walks = opened.state().phase === 'polling';
      const synced = walks ? false : await prove(parts.deadlineMs ?? rankDeadlineMs, signal);
      if (walks) void opened.sync();
      const ranking = await opened.rank(typed, limit);
      return ranking && { ...ranking, synced };
    },
    async find(pattern, signal) {
      use();
      const opened = watch;
      return opened && (await prove(deadlineMs, signal)) ? await opened.find(pattern) : undefined;
    },
    async close() {
      closed = true;
      statuses[Symbol.dispose]();
      await stop();
      await upkeep.close();
    },
  };
}
