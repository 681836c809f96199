/** Reaches the daemon of the repository around a folder, as any client does. */
import { fileURLToPath } from 'node:url';
import { zerdVersion } from '@zerd/protocol/common/version';
import type { ZerdClient } from '@zerd/protocol/node/client';
import { connectOrSpawn } from '@zerd/protocol/node/connect-or-spawn';
import { repositoryRoot } from '@zerd/protocol/node/paths';

// The same from src, from dist and from the bundle in dist.
const zerddPath = fileURLToPath(new URL('../../cli/bin/zerdd.js', import.meta.url));

export interface Reached {
  readonly root: string;
  connect(): Promise<ZerdClient>;
}

export function reacher(env: Readonly<Record<string, string | undefined>>, onOlder: (why: string) => void) {
  return (folder: string): Reached => {
    const root = repositoryRoot(folder);
    const client = { name: 'zerd acp', version: zerdVersion };
    return { root, connect: () => connectOrSpawn({ root, env, client, zerddPath, onOlder }) };
  };
}
