/** Reaches the daemon of the repository around the working folder. */
import { fileURLToPath } from 'node:url';
import { zerdVersion } from '@zerd/protocol/common/version';
import type { ZerdClient } from '@zerd/protocol/node/client';
import { connectOrSpawn } from '@zerd/protocol/node/connect-or-spawn';
import { repositoryRoot } from '@zerd/protocol/node/paths';
import type { Reach } from './command.ts';
import type { Terminal } from './terminal.ts';

// The same from src, from dist and from the bundle in dist.
export const zerddPath = fileURLToPath(new URL('../bin/zerdd.js', import.meta.url));

/** The root is found once: a working folder that is deleted later does not matter to a run. */
export function connector(terminal: Terminal): (how: Reach) => Promise<ZerdClient> {
  let root: string | undefined;
  return async (how) => {
    root ??= repositoryRoot(terminal.cwd());
    const client = { name: 'zerd', version: zerdVersion };
    const onOlder = (why: string) => terminal.err(`zerd: ${why}\n`);
    return await connectOrSpawn({ root, env: terminal.env, client, zerddPath, spawn: how, onOlder });
  };
}
