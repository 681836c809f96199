import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from '@jest/globals';
import type { SessionId } from '@zerd/protocol/common/ids';
import { inHouse } from '../support/house.ts';
import { daemonsWith } from '../support/left-alive.ts';
import { openSmallDisk } from '../support/small-disk.ts';

/** An event that is looked for; the deadline is for a defect alone. */
async function until<T>(look: () => T | Promise<T>, holds: (value: T) => boolean): Promise<T> {
  const deadline = performance.now() + 60_000;
  let value = await look();
  while (!holds(value) && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    value = await look();
  }
  expect(holds(value)).toBe(true);
  return value;
}

const room = 'room on the disk: ';
const command = 'echo begun >> ran; until [ -e go ]; do sleep 0.05; done; seq 1 3';
const steps = [{ calls: [{ name: 'shell', input: { command } }] }, { text: 'Counted to three.' }];

const disk = openSmallDisk(24);
afterEach(() => disk?.makeRoom());
afterAll(() => disk?.unmount());
/** The specification is skipped by name where nothing can be mounted. */
const testOnDisk = disk === undefined ? test.skip : test;

testOnDisk(
  'F-37: while the disk is full every client says that room is waited for, and then the turn goes on by itself',
  async () => {
    await inHouse({ steps, env: { XDG_STATE_HOME: disk?.folder ?? '' } }, async (house) => {
      const client = await house.connect();
      const run = house.start(['run', '--mode', 'full', '--trust', 'Count'], { deadlineMs: 100_000 });
      let stderr = '';
      run.child.stderr?.on('data', (text: string) => {
        stderr += text;
      });
      await until(
        () => existsSync(join(house.repository, 'ran')),
        (ran) => ran,
      );
      const [{ sessionId } = { sessionId: '' as SessionId }] = (await client.request('session/list', {})).sessions;
      disk?.fillUp();
      writeFileSync(join(house.repository, 'go'), '');
      const waits = async () => (await client.request('daemon/status', {})).waits;
      const [first] = await until(waits, ([wait]) => wait?.for.startsWith(room) ?? false);
      expect(first?.deadlineAt).toBeDefined();
      const read = await client.request('session/read', { sessionId });
      expect(read.waits?.[0]?.for).toBe(first?.for);
      await until(
        () => stderr,
        (text) => text.includes(`waiting for ${room}`),
      );
      expect((await house.zerdd(['status'])).stdout).toContain(`waiting for ${room}`);
      disk?.makeRoom();
      const { code, stdout } = await run.finished;
      expect([code, stdout]).toEqual([0, 'Counted to three.\n']);
      const events = (await house.events(sessionId)).map(({ event }) => event);
      const ends = events.filter(({ kind }) => kind === 'toolCall.finished');
      expect(ends).toMatchObject([{ outcome: 'ok', shown: expect.stringContaining('1\n2\n3') }]);
      expect(await waits()).toEqual([]);
    });
  },
  180_000,
);

testOnDisk(
  'F-37, R-01: a daemon that is killed while the disk is full comes back, waits in sight, and goes on with its turn',
  async () => {
    await inHouse({ steps, env: { XDG_STATE_HOME: disk?.folder ?? '' } }, async (house) => {
      await house.connect();
      const run = house.start(['run', '--mode', 'full', '--trust', 'Count'], { deadlineMs: 100_000 });
      await until(
        () => existsSync(join(house.repository, 'ran')),
        (ran) => ran,
      );
      disk?.fillUp();
      for (const { pid } of daemonsWith(house.home)) process.kill(pid, 'SIGKILL');
      const next = await house.connect();
      const waits = async () => (await next.request('daemon/status', {})).waits;
      await until(waits, ([wait]) => wait?.for.startsWith(room) ?? false);
      writeFileSync(join(house.repository, 'go'), '');
      disk?.makeRoom();
      const { code, stdout } = await run.finished;
      expect([code, stdout]).toEqual([0, 'Counted to three.\n']);
      const ran = readFileSync(join(house.repository, 'ran'), 'utf8');
      expect([ran, await waits()]).toEqual(['begun\n', []]);
    });
  },
  180_000,
);
