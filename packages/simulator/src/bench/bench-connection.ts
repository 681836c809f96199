/** How a client reaches the built daemon of a bench's folder. Nothing of the caller's environment but PATH is in it. */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ConnectOptions } from '@zerd/protocol/node/connect-or-spawn';
import type { BenchFolder } from './private-folder.ts';

export function connectionOf(folder: BenchFolder): ConnectOptions {
  const here = dirname(fileURLToPath(import.meta.url));
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: folder.home,
    ZERD_CONFIG_DIR: folder.config,
    XDG_STATE_HOME: folder.state,
    XDG_RUNTIME_DIR: folder.runtime,
  };
  const zerddPath = join(here, '../../../cli/bin/zerdd.js');
  return { root: folder.repository, env, zerddPath, client: { name: 'bench', version: '0' } };
}
