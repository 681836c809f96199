/** The built rooms of the daemon that this bench measures. They are loaded by their files: a bench imports none of them. */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '../../../../..');
const daemon = join(root, 'packages/daemon');

export interface Query {
  readonly pattern: string;
  readonly literal?: boolean;
  readonly ignoreCase?: boolean;
  readonly wholeWord?: boolean;
  readonly maxHits?: number;
}

export interface Answer {
  readonly hits: readonly { readonly path: string; readonly line: number }[];
  readonly totalMatches: number;
  readonly totalFiles: number;
  readonly files?: readonly { readonly path: string; readonly count: number }[];
  readonly incomplete?: string;
}

export interface Index {
  status(): {
    readonly files: number;
    readonly corpusBytes: number;
    readonly indexBytes: number;
    readonly loadMs?: number;
    readonly memoryBytes: number;
  };
  rebuild(why: string): Promise<void>;
  query(
    query: Query,
    signal: AbortSignal,
  ): Promise<{ readonly answer: Answer; readonly candidateBytes: number } | undefined>;
  release(): void;
  close(): Promise<void>;
}

export interface Service {
  search(query: Query, signal: AbortSignal): Promise<Answer>;
  indexStatus(): Promise<{
    readonly state: string;
    readonly watch: { readonly phase: string; readonly catchUpMs?: number };
  }>;
  close(): Promise<void>;
}

export async function openIndex(options: object): Promise<Index> {
  const { openIndex: open } = await load<{ openIndex: (options: object) => Promise<Index> }>(
    'search/index/open-index.js',
  );
  return open(options);
}

/** Search as the daemon has it: kept fresh. */
export async function openService(folder: string, tree: string): Promise<Service> {
  const { openSearch } = await load<{ openSearch: (parts: object) => Service }>('search/open-search.js');
  const { usualWatch } = await load<{ usualWatch: (clock: object) => object }>('search/fresh/usual-watch.js');
  const { silentLog } = await load<{ silentLog: object }>('base/log.js');
  const { systemClock } = await importFile<{ systemClock: object }>(join(root, 'protocol/dist/node/clock.js'));
  return openSearch({
    root: tree,
    stateFolder: folder,
    clock: systemClock,
    log: silentLog,
    policy: () => 'on',
    openWatch: usualWatch(systemClock),
    loadIndex: async () => openIndex,
    index: { smallFiles: 0, smallBytes: 0 },
  });
}

export async function ripgrepPath(): Promise<string> {
  const file = createRequire(join(daemon, 'package.json')).resolve('@vscode/ripgrep');
  return (await importFile<{ rgPath: string }>(file)).rgPath;
}

function load<T>(file: string): Promise<T> {
  return importFile(join(daemon, 'dist', file));
}

async function importFile<T>(file: string): Promise<T> {
  return (await import(pathToFileURL(file).href)) as T;
}
