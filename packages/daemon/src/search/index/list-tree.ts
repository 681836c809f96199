/** Lists the files that ripgrep would search, in path order, with the bytes of their names. */
import { runRipgrep } from '../../processes/ripgrep.ts';
import type { PathKey } from './contract.ts';
import { byPath, keyOfBytes } from './path-key.ts';

export async function listTree(root: string, signal: AbortSignal): Promise<PathKey[]> {
  const chunks: Buffer[] = [];
  const onOutput = (chunk: Buffer): 'go' => {
    chunks.push(chunk);
    return 'go';
  };
  await runRipgrep({ args: ['--files', '--null', '--', './'], cwd: root, signal, onOutput });
  const bytes = Buffer.concat(chunks);
  const paths: PathKey[] = [];
  for (let at = 0, end = bytes.indexOf(0); end >= 0; at = end + 1, end = bytes.indexOf(0, at)) {
    paths.push(keyOfBytes(bytes.subarray(bytes.toString('latin1', at, at + 2) === './' ? at + 2 : at, end)));
  }
  return sortPaths(paths);
}

/** Plain comparison where it is the same: it is many times faster. */
export function sortPaths(paths: PathKey[]): PathKey[] {
  return paths.some((path) => path.startsWith('\0')) ? paths.sort(byPath) : paths.sort();
}
