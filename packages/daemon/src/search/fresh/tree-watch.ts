/**
 * Keeps a tree known: takes the events of its folders, looks where they point, and tells what changed. Invariant: `sync`
 * answers true only when everything that happened on disk before it was asked has been told; one thing is done at a time,
 * and what comes meanwhile waits.
 */
import { mkdirSync, rmSync, type Stats, statSync, type watch } from 'node:fs';
import { createPathTable, type PathTable, type Ranking } from '@zerd/core/search/fuzzy-paths';
import type { Clock } from '@zerd/protocol/node/clock';
import { createChanges } from './changes.ts';
import { openCookies } from './cookies.ts';
import { openExcludeWatch } from './exclude-watch.ts';
import { findIn } from './find-in.ts';
import { lossyName, nameOfKey } from './names.ts';
import { resync } from './resync.ts';
import { type Names, settleEvents } from './settle-events.ts';
import { below, createTree, nameOf, parentOf } from './tree.ts';
import type { TreeRoom } from './tree-room.ts';
import { openFolderWatches } from './watch-folders.ts';
import type { KnownFile, WatchListeners, WatchState } from './watch-port.ts';

export interface TreeWatch {
  state(): WatchState;
  /** False: it cannot be said. Takes as long as it takes: the caller has the deadline. */
  sync(): Promise<boolean>;
  /** Looks at everything again. */
  recheck(): void;
  rank(typed: string, limit: number): Ranking;
  /** Every path that the pattern means, in no order. */
  find(pattern: string): readonly string[];
  close(): Promise<void>;
}

export interface TreeWatchParts extends WatchListeners {
  /** A real path. */
  readonly root: string;
  /** A folder of the daemon's own, for files that prove the order of events. */
  readonly cookieFolder: string;
  readonly clock: Clock;
  readonly known: Iterable<KnownFile>;
  readonly maxWatches?: number;
  readonly burst?: number;
  readonly open?: typeof watch;
}

/** After much work others get their turn: a build or a switch of branches goes on for a while. */
const restMs = 50;
const muchWork = 1_000;

export function openTreeWatch(parts: TreeWatchParts): TreeWatch {
  const { root, clock, onState } = parts;
  const abort = new AbortController();
  const events = new Map<string, Set<string> | 'all' | 'deep'>();
  const reached: ((synced: boolean) => void)[] = [];
  const tree = createTree();
  let state: WatchState = { phase: 'starting', watches: 0, overflows: 0 };
  let wanted = true;
  let working: Promise<void> | undefined;
  let table: PathTable | undefined;
  const rootAtStart = folderFacts(root);

  for (const { path, racy, ...stamp } of parts.known) {
    const name = nameOfKey(path);
    tree.ensure(parentOf(name)).files.set(nameOf(name), racy ? undefined : stamp);
  }
  const changes = createChanges(parts.onChange);
  const watches = openFolderWatches({
    ...parts,
    onEvent: note,
    onOverflow: () => {
      change({ overflows: state.overflows + 1 });
      recheck();
    },
    onFailure: poll,
  });
  const cookies = openCookies({ ...parts, onReached: reach, onFailure: poll });
  const exclude = openExcludeWatch(root, () => {
    events.set('', 'deep');
    begin();
  });
  const room: TreeRoom = {
    root,
    tree,
    watches,
    signal: abort.signal,
    wall: () => clock.wall(),
    breathe: createBreath(),
    found(path, folder, name, stamp) {
      folder.files.set(name, stamp);
      changes.changed(path);
      table?.add(path);
    },
    stays: (path) => table?.add(path),
    gone(path) {
      changes.removed(path);
      table?.remove(path);
    },
  };

  function change(to: Partial<WatchState>): void {
    if (state.phase === 'ended') return;
    state = { ...state, ...to, watches: watches.count() };
    onState(state);
  }

  /** What is being waited for is answered by looking at everything. */
  function poll(why: string): void {
    change({ phase: 'polling', why });
    recheck();
  }

  function note(folder: string, name: string | undefined): void {
    const there = events.get(folder);
    if (typeof there === 'object' && name !== undefined) there.add(name);
    else if (there === undefined || typeof there === 'object')
      events.set(folder, name === undefined ? 'all' : new Set([name]));
    begin();
  }

  function reach(tell: (synced: boolean) => void): void {
    reached.push(tell);
    begin();
  }

  function recheck(): void {
    wanted = true;
    begin();
  }

  function begin(): void {
    if (working || state.phase === 'ended') return;
    // Events come in crowds: those of this turn of the loop are taken together.
    working = new Promise<void>((resolve) => setImmediate(resolve)).then(work).catch(fail).finally(goOn);
  }

  function goOn(): void {
    working = undefined;
    if (wanted || events.size > 0 || reached.length > 0) begin();
  }

  function fail(error: unknown): void {
    if (state.phase === 'ended') return;
    end(String((error as { readonly message?: unknown }).message ?? error));
    parts.onDefect(error);
  }

  function end(why: string): void {
    change({ phase: 'ended', why });
    wanted = false;
    events.clear();
    exclude.close();
    cookies.close();
    watches.close();
    abort.abort(new Error(why));
    for (const tell of reached.splice(0)) tell(false);
  }

  async function work(): Promise<void> {
    const told = reached.splice(0);
    const taken = new Map<string, Names>(events);
    events.clear();
    exclude.ensure();
    try {
      if (wanted) await lookAtAll();
      const amount = await settleEvents(room, taken);
      // Its watches, and those of all in it, are with the folder that was here before.
      if (!isSameFolder(rootAtStart, folderFacts(root))) return end('the folder is gone, or another one by now');
      changes.flush();
      for (const tell of told.splice(0)) tell(true);
      if (amount > muchWork && reached.length === 0) await clock.sleep(restMs, abort.signal);
    } finally {
      for (const tell of told) tell(false);
    }
  }

  async function lookAtAll(): Promise<void> {
    wanted = false;
    const begun = clock.now();
    if (state.phase === 'live') change({ phase: 'starting', why: 'events may have been lost' });
    await resync(room);
    changes.flush();
    const { why, ...rest } = state;
    state = state.phase === 'starting' ? { ...rest, phase: 'live' } : state;
    change({ catchUpMs: Math.round(clock.now() - begun), caughtUpAt: Math.round(clock.wall()) });
  }

  function paths(): PathTable {
    table ??= createPathTable(allPaths(tree));
    return table;
  }

  mkdirSync(parts.cookieFolder, { recursive: true, mode: 0o700 });
  begin();
  return {
    state: () => state,
    sync: () =>
      new Promise((resolve) => {
        if (state.phase === 'ended') return resolve(false);
        if (state.phase !== 'polling') return cookies.lay(resolve);
        wanted = true;
        reach(resolve);
      }),
    recheck,
    rank(typed, limit) {
      const { ranked, total } = paths().rank(typed, limit);
      return { ranked: ranked.map(({ path, score }) => ({ path: lossyName(path), score })), total };
    },
    find: (pattern) => findIn(paths().paths(), pattern).map(lossyName),
    async close() {
      if (state.phase !== 'ended') end('closed');
      await working?.catch(() => {});
      rmSync(parts.cookieFolder, { recursive: true, force: true });
    },
  };
}

type FolderFacts = Pick<Stats, 'dev' | 'ino'> | undefined;

function folderFacts(root: string): FolderFacts {
  return statSync(root, { throwIfNoEntry: false });
}

function isSameFolder(a: FolderFacts, b: FolderFacts): boolean {
  return a !== undefined && b !== undefined && a.dev === b.dev && a.ino === b.ino;
}

function* allPaths(tree: ReturnType<typeof createTree>): Generator<string> {
  for (const [path, { files }] of tree.folders()) for (const name of files.keys()) yield below(path, name);
}

/** Lets other work of the thread in after some hundred looks. */
function createBreath(): () => Promise<void> | undefined {
  let looks = 0;
  return () => {
    looks += 1;
    return looks % 256 === 0 ? new Promise((resolve) => setImmediate(resolve)) : undefined;
  };
}
