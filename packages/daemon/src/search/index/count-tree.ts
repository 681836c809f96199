/** Lets ripgrep count matching lines over the whole tree: much less work than to print them. */
import type { Glob } from '@zerd/core/search/glob';
import type { SearchQuery } from '../../base/ports.ts';
import { runRipgrep } from '../../processes/ripgrep.ts';
import { matchFlags, scopeFlags } from '../read-ripgrep.ts';
import { acceptedGlob } from '../scope.ts';
import type { PathKey } from './contract.ts';
import { keyOfBytes, shownPath, withoutDotBytes } from './path-key.ts';

export interface FileCount {
  readonly path: PathKey;
  readonly count: number;
}

/** Undefined: ripgrep has something to say (a pattern it refuses, a file it cannot read). */
export async function countTree(
  root: string,
  target: string,
  query: SearchQuery,
  signal: AbortSignal,
): Promise<readonly FileCount[] | undefined> {
  const glob = query.glob === undefined ? undefined : acceptedGlob(query.glob);
  const chunks: Buffer[] = [];
  const onOutput = (chunk: Buffer): 'go' => {
    chunks.push(chunk);
    return 'go';
  };
  const flags = [...matchFlags({ ...query, context: 0 }), ...scopeFlags(query, glob)];
  const args = ['--count', '--null', '--with-filename', ...flags, '--regexp', query.pattern, '--', target];
  const { code, stderr } = await runRipgrep({ args, cwd: root, signal, onOutput });
  return code === 2 || stderr !== '' ? undefined : countsOf(Buffer.concat(chunks), glob);
}

function countsOf(bytes: Buffer, glob: Glob | undefined): FileCount[] {
  const counts: FileCount[] = [];
  for (let at = 0; at < bytes.length; ) {
    const nul = bytes.indexOf(0, at);
    const end = bytes.indexOf(0x0a, nul);
    if (nul < 0 || end < 0) break;
    const path = keyOfBytes(withoutDotBytes(bytes.subarray(at, nul)));
    if (glob === undefined || glob.matches(shownPath(path)))
      counts.push({ path, count: Number(bytes.toString('latin1', nul + 1, end)) });
    at = end + 1;
  }
  return counts;
}
