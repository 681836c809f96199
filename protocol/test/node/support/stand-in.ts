/** A repository and a home of a test's own, with a stand-in for zerdd that does what the test says. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach } from '@jest/globals';
import type { ZerdClient } from '../../../src/node/client.ts';
import { type ConnectOptions, connectOrSpawn } from '../../../src/node/connect-or-spawn.ts';
import { runtimeFolder, socketPath } from '../../../src/node/paths.ts';
import { makePrivateFolder } from '../../../src/node/private-folder.ts';

export const zerddPath = fileURLToPath(new URL('../fixtures/zerdd.mjs', import.meta.url));

export let base = '';
export let root = '';
export let env: Record<string, string> = {};
let open: ZerdClient[] = [];

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'zc-')));
  root = join(base, 'repo');
  env = {
    HOME: base,
    XDG_RUNTIME_DIR: join(base, 'run'),
    PATH: process.env.PATH ?? '',
    ANTHROPIC_API_KEY: 'sk-secret',
  };
  for (const folder of ['repo', 'run']) mkdirSync(join(base, folder));
  makePrivateFolder(runtimeFolder(root, env));
  open = [];
});

/** Ends what the test started; a stand-in exits when it is asked to shut down. */
afterEach(async () => {
  for (const zerd of open) await zerd.request('daemon/shutdown', {}).catch(() => {});
  for (const { pid } of starts()) await gone(pid);
  rmSync(base, { recursive: true, force: true });
});

interface Start {
  readonly pid: number;
  readonly cwd: string;
  readonly args: readonly string[];
  readonly env: Record<string, string>;
}

export function starts(): Start[] {
  const file = join(root, 'starts');
  if (!existsSync(file)) return [];
  // A line that is being written is not there yet.
  return readFileSync(file, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}

async function gone(pid: number): Promise<void> {
  for (;;) {
    try {
      process.kill(pid, 0);
    } catch {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

export function behave(behaviour: object): void {
  const socket = socketPath(runtimeFolder(root, env));
  writeFileSync(join(root, 'behaviour.json'), JSON.stringify({ socket, ...behaviour }));
}

export async function start(more: Partial<ConnectOptions> = {}): Promise<ZerdClient> {
  const zerd = await connectOrSpawn({ root, env, client: { name: 't', version: '0' }, zerddPath, ...more });
  open.push(zerd);
  return zerd;
}
