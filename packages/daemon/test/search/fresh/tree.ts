/** A tree in a folder of its own, the watch over it, and ripgrep's word for what is in it. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { rgPath } from '@vscode/ripgrep';
import { openTreeWatch, type TreeWatch, type TreeWatchParts } from '@zerd/daemon/search/fresh/tree-watch';
import type { WatchState } from '@zerd/daemon/search/fresh/watch-port';
import type { IndexChange } from '@zerd/daemon/search/index/contract';
import { systemClock } from '@zerd/protocol/node/clock';

export interface Watched extends AsyncDisposable {
  readonly root: string;
  readonly watch: TreeWatch;
  /** Files that count as there, in order, and all that was told since it was last asked. */
  there(): string[];
  told(): IndexChange;
  readonly states: WatchState[];
  put(path: string, content?: string): void;
  /** Waits for the proof, and expects it. */
  synced(): Promise<void>;
}

export function makeRoot(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), 'fresh-')));
}

export function put(root: string, path: string, content = 'x\n'): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
}

export function watchTree(top: string, more: Partial<TreeWatchParts> = {}): Watched {
  const root = join(top, 'app');
  mkdirSync(root, { recursive: true });
  const there = new Set([...(more.known ?? [])].map(({ path }) => path));
  let told = { changed: new Set<string>(), removed: new Set<string>() };
  const states: WatchState[] = [];
  const watch = openTreeWatch({
    root,
    cookieFolder: join(top, 'cookies'),
    clock: systemClock,
    known: [],
    onChange({ changed, removed }) {
      for (const path of changed) {
        there.add(path);
        told.changed.add(path);
      }
      for (const path of removed) {
        there.delete(path);
        told.removed.add(path);
      }
    },
    onState: (state) => void states.push(state),
    onDefect: (error) => {
      throw error;
    },
    ...more,
  });
  return {
    root,
    watch,
    states,
    there: () => [...there].sort(),
    told() {
      const { changed, removed } = told;
      told = { changed: new Set(), removed: new Set() };
      return { changed: [...changed].sort(), removed: [...removed].sort() };
    },
    put: (path, content) => put(root, path, content),
    async synced() {
      if (!(await watch.sync())) throw new Error(`not synced: ${JSON.stringify(watch.state())}`);
    },
    [Symbol.asyncDispose]: () => watch.close(),
  };
}

/** What ripgrep would search, in order; names that are no UTF-8 as the index names them. */
export function visibleFiles(root: string): string[] {
  const listed = run(['--no-config', '--files', '--null', './'], root);
  return listed
    .filter((name) => name.length > 0)
    .map((name) => keyOf(name.subarray(2)))
    .sort();
}

function run(args: readonly string[], cwd: string): Buffer[] {
  let out: Buffer;
  try {
    out = execFileSync(rgPath, args, { cwd, stdio: ['ignore', 'pipe', 'ignore'] });
  } catch (error) {
    out = (error as { stdout: Buffer }).stdout;
  }
  const names: Buffer[] = [];
  for (let at = 0, end = out.indexOf(0); end >= 0; at = end + 1, end = out.indexOf(0, at))
    names.push(out.subarray(at, end));
  return names;
}

function keyOf(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  return Buffer.from(text).equals(bytes) ? text : `\0${bytes.toString('latin1')}`;
}

export function removeRoot(top: string): void {
  rmSync(top, { recursive: true, force: true });
}
