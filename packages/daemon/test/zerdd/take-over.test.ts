/** A newer release that is broken comes to a repository that a real daemon serves. */
import { readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { ZerdClient } from '@zerd/protocol/node/client';
import { type ConnectOptions, connectOrSpawn } from '@zerd/protocol/node/connect-or-spawn';
import { useBundledZerdd } from '../support/bundled-zerdd.ts';
import { makeScene, removeScene } from '../support/zerdd-scene.ts';

const zerdd = useBundledZerdd();

let base = '';
let root = '';
let env: Record<string, string> = {};

beforeEach(() => {
  ({ base, root, env } = makeScene());
});

afterEach(() => removeScene({ base, root, env }));

function client(more: Partial<ConnectOptions> = {}): Promise<ZerdClient> {
  return connectOrSpawn({ root, env, client: { name: 't', version: '0' }, zerddPath: zerdd.path, ...more });
}

async function hangUp(zerd: ZerdClient): Promise<void> {
  zerd.close();
  await zerd.closed;
}

/** The one on which it listens, and one for each client. */
function socketsOf(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).filter((fd) => linkOf(`/proc/${pid}/fd/${fd}`).startsWith('socket:')).length;
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    // Closed meanwhile.
    return '';
  }
}

/** A release that is newer in name, and of which a start ends so. */
function installNewer(check: number, serves: string): Partial<ConnectOptions> {
  const zerddPath = join(base, 'newer.mjs');
  writeFileSync(zerddPath, `if (process.argv.includes('check')) process.exit(${check});\n${serves}\n`);
  return { zerddPath, client: { name: 't', version: '9.0.0' } };
}

test('F-30: a newer release that cannot start is found out while the daemon serves; one that crashes gives it back', async () => {
  const first = await client({ env: { ...env, ANTHROPIC_API_KEY: 'k' } });
  const { pid } = first.hello.daemon;
  const { sessionId } = await first.request('session/create', { trust: true });
  /** The daemon has seen that nobody needs it. */
  const alone = async (zerd: ZerdClient) => {
    await hangUp(zerd);
    while (socketsOf(pid) > 1) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  await alone(first);
  const why: string[] = [];
  const onOlder = (text: string) => void why.push(text);
  const second = await client({ ...installNewer(1, ''), onOlder });
  expect(second.hello.daemon.pid).toBe(pid);
  await alone(second);
  const third = await client({ ...installNewer(0, 'throw new Error("it crashed")'), onOlder });
  expect(third.hello.daemon.pid).not.toBe(pid);
  expect((await third.request('session/list', {})).sessions.map((row) => row.sessionId)).toEqual([sessionId]);
  expect(why).toEqual([
    expect.stringContaining('goes on serving'),
    expect.stringContaining('did not start: zerdd ended'),
  ]);
  await hangUp(third);
});
