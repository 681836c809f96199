/** What the wire bench can play, as data: files, a prompt, the calls of the model, one a step, and what must be on disk at the end. */
import type { Step } from '../players/player.ts';
import { longFiles, longMends, rulesFiles } from './long-files.ts';
import { longSteps } from './long-steps.ts';
import { seedFiles } from './seed-files.ts';

export interface BenchScript {
  readonly files: () => ReadonlyMap<string, string>;
  readonly prompt: string;
  readonly steps: readonly Step[];
  /** Edits that must be on disk afterwards. */
  readonly edits?: readonly DiskEdit[];
}

/** The file holds `new` and no longer holds `old`. */
export interface DiskEdit {
  readonly path: string;
  readonly old: string;
  readonly new: string;
}

const search = call('search', { pattern: 'line 1', path: 'handler.go' });
const read = (path: string) => call('read', { path });
const cat = (file: string) => call('shell', { command: `cat ${file}` });

/** The cycle that other agents were measured with on 2026-11-29. */
const seedCycle: readonly Step[] = [
  search,
  read('handler.go'),
  read('store.go'),
  cat('test.log'),
  read('handler.go'),
  search,
  cat('bundle.min.js'),
  read('router.go'),
  cat('test.log'),
];

const seed: BenchScript = {
  files: () => seedFiles(),
  prompt: 'Look through this repository and tell me what fails.',
  steps: [...seedCycle, ...seedCycle, ...seedCycle, ...seedCycle],
};

const long: BenchScript = {
  files: longFiles,
  prompt: 'Mend the counters that the tests name, one file after the other, and run the tests after each.',
  steps: longSteps(),
  edits: longMends(),
};

export const benchScripts: Readonly<Record<string, BenchScript>> = {
  seed,
  /** Other agents fall off a cliff between this log and seed's. */
  seed28: { ...seed, files: () => seedFiles(28_000) },
  long,
  rules: { ...long, files: rulesFiles },
};

function call(name: string, input: object): Step {
  return { calls: [{ name, input }] };
}
