/** Lets ripgrep match in given files. Invariant: what it finds in them is what it would find in the tree. */
import { ZerdError } from '@zerd/protocol/common/errors';
import type { SearchQuery } from '../../base/ports.ts';
import { type RipgrepEnd, runRipgrep } from '../../processes/ripgrep.ts';
import type { HitCollector } from '../collect-hits.ts';
import { createHitReader, matchFlags } from '../read-ripgrep.ts';
import type { PathKey } from './contract.ts';

/** A command line has room for so much. */
const maxFiles = 3_000;
const maxBytes = 524_288;

export interface RipgrepRun {
  readonly root: string;
  readonly query: SearchQuery;
  readonly collector: HitCollector;
  readonly signal: AbortSignal;
}

/** A name that is no UTF-8 cannot be given to a process. */
export function canBeNamed(path: PathKey): boolean {
  return !path.startsWith('\0');
}

/** Gives what went wrong with some of the files; undefined: nothing did. */
export async function searchFiles(run: RipgrepRun, paths: readonly PathKey[]): Promise<string | undefined> {
  let trouble: string | undefined;
  for (const part of parts(paths)) trouble = (await searchPart(run, part)) ?? trouble;
  return trouble;
}

function* parts(paths: readonly PathKey[]): Generator<readonly PathKey[]> {
  for (let at = 0; at < paths.length; ) {
    const begin = at;
    for (let bytes = 0; at < paths.length && at - begin < maxFiles && bytes < maxBytes; at += 1) {
      bytes += Buffer.byteLength(paths[at] ?? '') + 3;
    }
    yield paths.slice(begin, at);
  }
}

async function searchPart({ root, query, collector, signal }: RipgrepRun, paths: readonly PathKey[]) {
  const reader = createHitReader(collector, () => true);
  const files = paths.map((path) => `./${path}`);
  const args = ['--json', ...matchFlags(query), '--regexp', query.pattern, '--', ...files];
  return troubleOf(await runRipgrep({ args, cwd: root, signal, onOutput: reader.read }), reader.searched());
}

function troubleOf({ code, stderr }: RipgrepEnd, searched: number | undefined): string | undefined {
  if (searched === undefined) throw new ZerdError('invalid_params', `The pattern was not accepted: ${stderr.trim()}`);
  // A file that is gone by now has no matches.
  const lines = stderr.split('\n').filter((line) => line !== '' && !/No such file or directory/.test(line));
  if (code !== 2 || lines.length === 0) return undefined;
  return `some files could not be read (${lines[0]?.replace(/^rg: /, '').slice(0, 200)})`;
}
