/** A newer release and the daemon of an older one: who serves, and what becomes of the older one where the newer cannot. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { runtimeFolder, socketPath } from '../../src/node/paths.ts';
import { probe } from '../../src/node/probe.ts';
import { base, behave, env, root, start, starts, zerddPath } from './support/stand-in.ts';

test('F-30: an idle daemon of an older release makes room, and the newer one is started', async () => {
  behave({ version: '0.0.9', handover: { stopping: true } });
  const first = await start();
  const second = await start({ client: { name: 't', version: '0.1.0' } });
  expect(second.hello.daemon.pid).not.toBe(first.hello.daemon.pid);
  expect(starts()).toHaveLength(2);
});

const broken = { exit: 1, stderr: 'zerdd: installation_broken: The installation is not whole: it is torn.\n' };

test('F-30: a newer release that cannot start ends no daemon: the older one is spoken to, and why is said', async () => {
  behave({ version: '0.0.9', handover: { stopping: true }, check: broken });
  const first = await start();
  const why: string[] = [];
  const second = await start({ client: { name: 't', version: '0.1.0' }, onOlder: (text) => why.push(text) });
  expect([second.hello.daemon.pid, starts().length]).toEqual([first.hello.daemon.pid, 1]);
  expect(why).toEqual([
    'zerd 0.0.9 goes on serving this repository, as zerd 0.1.0 cannot: The installation is not whole: it is torn.',
  ]);
});

/** The same stand-in under another path: the program of the release before, as its registration names it. */
function installOlder(): string {
  const program = join(base, 'older.mjs');
  copyFileSync(zerddPath, program);
  const registration = { root, pid: 1, endpoint: socketPath(runtimeFolder(root, env)), program };
  writeFileSync(join(runtimeFolder(root, env), 'zerdd.json'), JSON.stringify(registration));
  return program;
}

test('F-30: where the newer release crashes as it begins, the one before serves again, and stays until it can', async () => {
  behave({ version: '0.0.9', handover: { stopping: true } });
  const program = installOlder();
  const first = await start({ zerddPath: program });
  behave({ versions: { [zerddPath]: { exit: 3, stderr: 'Error: it broke\n' } }, version: '0.0.9' });
  const why: string[] = [];
  const newer = { client: { name: 't', version: '0.1.0' }, onOlder: (text: string) => why.push(text) };
  const second = await start(newer);
  expect(second.hello.daemon).toEqual({ version: '0.0.9', pid: starts().at(-1)?.pid });
  expect([second.hello.daemon.pid === first.hello.daemon.pid, starts().length]).toEqual([false, 3]);
  const third = await start(newer);
  expect([third.hello.daemon.pid, starts().length]).toEqual([second.hello.daemon.pid, 3]);
  expect(why).toEqual([
    expect.stringMatching(/^zerd 0\.0\.9 serves this repository again, as zerd 0\.1\.0 did not start: .*it broke/),
    expect.stringMatching(/^zerd 0\.0\.9 goes on serving this repository, as zerd 0\.1\.0 cannot: .*it broke/),
  ]);
});

test('F-30: a newer release whose start failed lately does not end the older one again', async () => {
  behave({ version: '0.0.9', handover: { stopping: true } });
  await start();
  behave({ exit: 1, stderr: 'zerdd: store_unsafe: It crashed.\n' });
  const newer = { client: { name: 't', version: '0.1.0' } };
  await expect(start(newer)).rejects.toMatchObject({ code: 'store_unsafe' });
  behave({ version: '0.0.9', handover: { stopping: true } });
  const back = await start();
  behave({ version: '0.1.0' });
  const why: string[] = [];
  const again = await start({ ...newer, onOlder: (text) => why.push(text) });
  expect(again.hello.daemon.pid).toBe(back.hello.daemon.pid);
  expect(why).toEqual(['zerd 0.0.9 goes on serving this repository, as zerd 0.1.0 cannot: It crashed.']);
});

test.each([
  ['says why', { stopping: false, why: 'zerd 0.0.9 stays until it is idle: 1 turn running' }, /^zerd 0\.0\.9 stays/],
  ['does not know the request', undefined, /^zerd 0\.0\.9 serves this repository and does not know how to make room/],
])('F-30: an older daemon that %s is spoken to as it is', async (_, handover, told) => {
  behave({ version: '0.0.9', handover });
  const first = await start();
  const why: string[] = [];
  const second = await start({ client: { name: 't', version: '0.1.0' }, onOlder: (text) => why.push(text) });
  expect([second.hello.daemon.pid, starts().length]).toEqual([first.hello.daemon.pid, 1]);
  expect(why).toEqual([expect.stringMatching(told)]);
});

/** The file is there a moment before anybody listens, and then a client finds nobody. */
async function accepting(path: string): Promise<void> {
  for (;;) {
    const found = await probe(path);
    if (typeof found === 'object') return void found.destroy();
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

test.each([
  ['is idle makes room', true],
  ['is busy stays, and the client says what to update', false],
])('F-30: an older daemon that shares no version of the protocol and %s', async (_, stopping) => {
  behave({ shares: false, handover: { stopping } });
  const older = spawn(process.execPath, [zerddPath, '--root', root], { env, stdio: 'ignore' });
  const ended = once(older, 'exit');
  await accepting(socketPath(runtimeFolder(root, env)));
  const started = start({ client: { name: 't', version: '0.1.0' } });
  if (stopping) expect([(await started).hello.protocol, starts().length]).toEqual([1, 2]);
  else {
    await expect(started).rejects.toMatchObject({ code: 'version_unsupported', message: 'Update the daemon.' });
    older.kill();
  }
  await ended;
});
