/** Lists the files that ripgrep would search, in path order, with the bytes of their names. */
import { runRipgrep } from '../../processes/ripgrep.ts';
import type { PackedPaths } from './packed-paths.ts';
import type { Pool } from './pool.ts';

export async function listTree(root: string, pool: Pool, signal: AbortSignal): Promise<PackedPaths> {
  const chunks: Buffer[] = [];
  const onOutput = (chunk: Buffer): 'go' => {
    chunks.push(chunk);
    return 'go';
  };
  await runRipgrep({ args: ['--files', '--null', '--', './'], cwd: root, signal, onOutput });
  return pool.run('sort', { listing: Buffer.concat(chunks) }, { signal });
}
