/** However many start at once, and however the last owner died, one daemon owns the repository and all find it. */
import { expect, test } from '@jest/globals';
import { type House, inHouse } from '../support/house.ts';
import { daemonsWith } from '../support/left-alive.ts';

const clients = 12;
const minutes = 60_000;

test(
  'R-10, F-26, F-27: twelve clients, ten rounds, kill -9 between: one owner each time, no client fails',
  async () => {
    await inHouse({}, async (house) => {
      const owners: number[] = [];
      for (let round = 1; round <= 10; round += 1) {
        const connected = await Promise.all(times(clients, () => house.connect()));
        const found = [...new Set(connected.map(({ hello }) => hello.daemon.pid))];
        expect({ round, found, alive: await onlyDaemons(house, found) }).toEqual({
          round,
          found: [found[0]],
          alive: found,
        });
        const owner = Number(found[0]);
        owners.push(owner);
        process.kill(owner, 'SIGKILL');
        await Promise.all(connected.map(({ closed }) => closed));
      }
      expect(new Set(owners).size).toBe(10);
    });
  },
  3 * minutes,
);

test(
  'F-26, F-27: twelve processes of zerd at once find one owner, twice, kill -9 between',
  async () => {
    await inHouse({}, async (house) => {
      for (let round = 1; round <= 2; round += 1) {
        const answers = await Promise.all(
          times(clients, () => house.zerd(['rpc', 'daemon/status'], { deadlineMs: minutes })),
        );
        expect(answers.map(({ code, stderr }) => ({ code, stderr }))).toEqual(
          times(clients, () => ({ code: 0, stderr: '' })),
        );
        const found = [...new Set(answers.map(({ stdout }) => Number(JSON.parse(stdout).pid)))];
        expect({ round, found, alive: await onlyDaemons(house, found) }).toEqual({
          round,
          found: [found[0]],
          alive: found,
        });
        process.kill(Number(found[0]), 'SIGKILL');
      }
    });
  },
  3 * minutes,
);

test('F-27: a socket file that a killed daemon left is taken over, and what it had committed is there', async () => {
  await inHouse({}, async (house) => {
    const first = await house.connect();
    await first.request('trust/set', { trusted: true });
    const { sessionId } = await first.request('session/create', {});
    process.kill(first.hello.daemon.pid, 'SIGKILL');
    await first.closed;
    const second = await house.connect();
    const { sessions } = await second.request('session/list', {});
    expect(sessions.map((session) => session.sessionId)).toEqual([sessionId]);
    expect(second.hello.epoch).toBe(first.hello.epoch);
  });
});

function times<T>(count: number, make: () => T): T[] {
  return Array.from({ length: count }, make);
}

/** The daemons alive once those that lost the race have left; waits for it, in vain if they do not. */
async function onlyDaemons(house: House, expected: readonly number[]): Promise<readonly number[]> {
  for (let polls = 0; polls < 250; polls += 1) {
    const alive = daemonsWith(house.home).map(({ pid }) => pid);
    if (alive.length === expected.length) return alive;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return daemonsWith(house.home).map(({ pid }) => pid);
}
