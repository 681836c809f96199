import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { ZerdError } from '@zerd/protocol/common/errors';
import { systemClock } from '@zerd/protocol/node/clock';
import { requestLimits } from '@zerd/protocol/node/framing';
import { openLink } from '@zerd/protocol/node/link';
import { socketPath } from '@zerd/protocol/node/paths';
import { toWire } from '@zerd/protocol/node/wire-errors';
import { ResponseError } from 'vscode-jsonrpc/node';
import { stopDaemon } from '../../src/zerdd/stop-daemon.ts';

let runtime = '';
let daemon: ChildProcess;
let server: Server;
beforeEach(() => {
  runtime = mkdtempSync(join(tmpdir(), 'zs-'));
  // Stands for the process that ends.
  daemon = spawn('sleep', ['60'], { stdio: 'ignore' });
});
afterEach(async () => {
  daemon.kill('SIGKILL');
  await new Promise((resolve) => server.close(resolve));
  rmSync(runtime, { recursive: true, force: true });
});

/** A daemon that answers as it is told to. */
async function serve(answers: Readonly<Record<string, () => unknown>>): Promise<void> {
  const hello = { protocol: 1, daemon: { version: '0.1.0', pid: daemon.pid }, root: '/r', epoch: 'e' };
  const all: Readonly<Record<string, () => unknown>> = { initialize: () => hello, ...answers };
  server = createServer((socket) => {
    const { rpc } = openLink({ readable: socket, writable: socket }, { limits: requestLimits });
    rpc.onRequest((method: string) => {
      const answer = all[method];
      if (answer !== undefined) return answer();
      const { code, message, data } = toWire(new ZerdError('unknown_method', method));
      throw new ResponseError(code, message, data);
    });
    rpc.listen();
  });
  server.listen(socketPath(runtime));
  await once(server, 'listening');
}

const shutdown = () => {
  daemon.kill('SIGKILL');
  return { stopping: true, runningTurns: 0 };
};
const job = (jobId: string, more = {}) => ({
  ...{ jobId, sessionId: 'ses_1', command: `run ${jobId}\nand more`, startedAt: 0, bytes: 0 },
  ...more,
});

test('F-24: a daemon that is ended names the jobs that go on, and none that has ended', async () => {
  await serve({
    'job/list': () => ({ jobs: [job('job_1'), job('job_2', { outcome: 'exited', exitCode: 0 }), job('job_3')] }),
    'daemon/shutdown': shutdown,
  });
  expect(await stopDaemon(runtime, false, systemClock)).toEqual({
    code: 0,
    says: `stopped (pid ${daemon.pid})`,
    goOn: ['job_1 goes on: run job_1\\nand more', 'job_3 goes on: run job_3\\nand more'],
  });
});

test('F-24: one of an older release, which knows no jobs, is ended as before', async () => {
  await serve({ 'daemon/shutdown': shutdown });
  expect(await stopDaemon(runtime, false, systemClock)).toMatchObject({ code: 0, goOn: [] });
});

test('one with turns running stays, and says how it would be ended', async () => {
  await serve({ 'daemon/shutdown': () => ({ stopping: false, runningTurns: 2 }) });
  expect(await stopDaemon(runtime, false, systemClock)).toEqual({
    code: 1,
    says: 'not stopped: turns are running (2); --force interrupts them',
  });
});
