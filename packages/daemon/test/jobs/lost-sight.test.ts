import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { OpenHost } from '@zerd/daemon/jobs/host-process';
import { bootId, findProcess } from '@zerd/daemon/processes/list-processes';
import { openStore } from '@zerd/daemon/store/open';
import { callIdSchema, sessionIdSchema, turnIdSchema } from '@zerd/protocol/common/ids';
import { systemClock } from '@zerd/protocol/node/clock';
import { testJobs } from '../support/test-jobs.ts';

/** A host that lives, whose command is gone, and that could not write down how: it says so in one breath with the beginning. */
const failingAtOnce: OpenHost = (onReport) => ({
  gone: new Promise(() => {}),
  send(order) {
    const { jobId } = order;
    const host = { pid: process.pid, startedAt: findProcess(process.pid)?.startedAt ?? 0 };
    onReport({ kind: 'started', jobId, started: { pid: 2 ** 22 + 1, startedAt: 1, bootId: bootId(), host } });
    onReport({ kind: 'failed', jobId, code: 'EIO' });
    return true;
  },
  close() {},
});

test('a host that fails one command right behind its beginning, and lives, leaves nobody waiting for its end', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lost-'));
  const store = await openStore({ folder: join(folder, 'state'), clock: systemClock });
  const jobs = testJobs(folder, store, systemClock, failingAtOnce);
  const call = { turnId: turnIdSchema.parse('turn_1'), callId: callIdSchema.parse('call_1') };
  const wish = { sessionId: sessionIdSchema.parse('ses_1'), ...call, command: 'true', cwd: folder, env: {} };
  const started = await jobs.start(wish);
  if (!started.ok) throw new Error(started.code);
  expect(await started.command.ended).toMatchObject({ outcome: 'lost' });
  await jobs.close();
  await store.close();
  rmSync(folder, { recursive: true });
});
