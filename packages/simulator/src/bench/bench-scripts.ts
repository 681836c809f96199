/** What the wire bench can play, as data: files, a prompt, and the calls of the model, one a step. */
import type { Step } from '../players/player.ts';
import { seedFiles } from './seed-files.ts';

export interface BenchScript {
  readonly files: () => ReadonlyMap<string, string>;
  readonly prompt: string;
  readonly steps: readonly Step[];
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

export const benchScripts: Readonly<Record<string, BenchScript>> = {
  seed: {
    files: seedFiles,
    prompt: 'Look through this repository and tell me what fails.',
    steps: [...seedCycle, ...seedCycle, ...seedCycle, ...seedCycle],
  },
};

function call(name: string, input: object): Step {
  return { calls: [{ name, input }] };
}
