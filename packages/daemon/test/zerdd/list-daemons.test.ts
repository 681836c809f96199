import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { registrationPath, runtimeFolder, socketPath } from '@zerd/protocol/node/paths';
import { manualClock } from '../../../../test/support/manual-clock.ts';
import { listDaemons } from '../../src/zerdd/daemons.ts';
import { listLine } from '../../src/zerdd/report.ts';

test('a daemon that listens and does not answer is listed, with what ends it', async () => {
  const base = mkdtempSync(join(tmpdir(), 'zl-'));
  const env = { XDG_RUNTIME_DIR: base, XDG_STATE_HOME: base };
  const runtime = runtimeFolder('/r', env);
  mkdirSync(runtime, { recursive: true });
  writeFileSync(registrationPath(runtime), JSON.stringify({ root: '/r', pid: 7, endpoint: socketPath(runtime) }));
  const server = createServer((socket) => void socket.on('error', () => {}).resume());
  server.listen(socketPath(runtime));
  await once(server, 'listening');
  const clock = manualClock();
  const listed = listDaemons(env, clock);
  const [socket] = await once(server, 'connection');
  await once(socket, 'data');
  clock.advance(3_000);
  expect((await listed).map((one) => listLine(one, clock.wall()))).toEqual([
    '/r  pid 7, does not answer; `zerdd stop --force --root DIR` ends it',
  ]);
  await new Promise((resolve) => server.close(resolve));
  rmSync(base, { recursive: true });
});
