import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { sessionIdSchema } from '@zerd/protocol/common/ids';
import { inHouse } from '../support/house.ts';
import { daemonsWith } from '../support/left-alive.ts';

/** Looks until it holds; the deadline is for a defect alone. */
async function until<T>(look: () => Promise<T>, holds: (value: T) => boolean): Promise<T> {
  const deadline = performance.now() + 60_000;
  let value = await look();
  while (!holds(value) && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    value = await look();
  }
  expect(holds(value)).toBe(true);
  return value;
}

const wait = 'until [ -e go ]; do sleep 0.05; done';
const steps = [{ calls: [{ name: 'shell', input: { command: wait } }] }, { text: 'First.' }, { text: 'Second.' }];
const needs = /Run `zerd trust` there/;

test('trust for one run does not outlive the daemon: what it had queued says why it waits, until zerd trust', async () => {
  await inHouse({ steps }, async (house) => {
    const run = house.start(['run', '--mode', 'full', '--trust', 'First']);
    const first = await house.connect();
    const rows = async () => (await first.request('session/list', {})).sessions;
    const [row] = await until(rows, ([found]) => found?.state === 'running');
    const sessionId = sessionIdSchema.parse(row?.sessionId);
    const queued = await house.zerd(['say', '--session', sessionId, '--queue', '--trust', 'Second']);
    expect(queued.stdout + queued.stderr).toMatch(/waits for the turns before it/);
    run.child.kill('SIGKILL');
    for (const { pid } of daemonsWith(house.home)) process.kill(pid, 'SIGKILL');
    const client = await house.connect();
    const read = () => client.request('session/read', { sessionId });
    const held = await until(read, ({ queueNeeds }) => queueNeeds !== undefined);
    expect(held).toMatchObject({
      queue: [{ text: 'Second' }],
      queuePaused: true,
      queueNeeds: { code: 'untrusted', message: expect.stringMatching(needs) },
    });
    expect((await house.zerd(['say', '--session', sessionId])).stdout).toMatch(needs);
    expect((await house.zerdd(['status'])).stdout).toMatch(needs);
    writeFileSync(join(house.repository, 'go'), '');
    expect((await house.zerd(['trust'])).code).toBe(0);
    const events = await until(
      () => house.events(sessionId),
      (all) => all.some(({ event }) => event.kind === 'message.submitted' && event.text === 'Second'),
    );
    const kinds = events.map(({ event }) => event.kind);
    expect(kinds.filter((kind) => kind === 'prompt.held')).toHaveLength(1);
    await until(read, ({ session, jobs = [] }) => session.state === 'idle' && jobs.length === 0);
  });
}, 120_000);
