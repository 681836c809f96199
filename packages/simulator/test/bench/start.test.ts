/** The start bench through the built programs, and the parts that it measures with. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import { startFirstByteRelay } from '../../src/bench/first-byte-relay.ts';
import { measureStart, medianOf, type StartSample } from '../../src/bench/measure-start.ts';
import { timedProgram } from '../../src/bench/timed-program.ts';

const medians: readonly (readonly [values: readonly number[], median: number])[] = [
  [[3], 3],
  [[1, 3], 2],
  [[9, 1, 5], 5],
  [[10, 9, 1, 5], 7],
];
for (const [values, median] of medians)
  test(`the median of ${values.join(', ')} is ${median}`, () => expect(medianOf(values)).toBe(median));

test('the relay passes requests and answers on, and notes each first byte on its way', async () => {
  const server = createServer((request, response) => void request.pipe(response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const relay = await startFirstByteRelay(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  try {
    for (const body of ['one', 'two', 'x'.repeat(1_000_000)]) {
      const before = performance.now();
      const firstByte = relay.firstByte();
      expect(await (await fetch(relay.origin, { method: 'POST', body })).text()).toBe(body);
      expect(await firstByte).toBeGreaterThan(before);
      expect(await firstByte).toBeLessThan(performance.now());
    }
  } finally {
    relay.close();
    server.closeAllConnections();
    server.close();
  }
});

test('a program that fails is told with what it wrote', async () => {
  const wish = { cwd: '/', env: { PATH: process.env.PATH ?? '' } };
  const run = await timedProgram({ ...wish, argv: [process.execPath, '-e', 'console.log(1)'] });
  expect(run).toEqual({ startedAt: expect.any(Number), ms: expect.any(Number), stdout: '1\n' });
  const argv = [process.execPath, '-e', 'console.error("no"); process.exit(3)'];
  await expect(timedProgram({ ...wish, argv })).rejects.toThrow('ended with 3:\nno');
});

test('one round takes a sample of every figure, and the figures are their medians', async () => {
  const samples: StartSample[] = [];
  const figures = await measureStart({ wire: 'anthropic', rounds: 1, round: (sample) => samples.push(sample) });
  const positive = expect.any(Number);
  expect(figures).toEqual({
    bench: 'start',
    nodeMs: positive,
    cliMs: positive,
    warmFirstRequestMs: positive,
    coldFirstRequestMs: positive,
    daemonRssMb: positive,
  });
  expect(Object.values(figures).every((figure) => figure === 'start' || figure > 0)).toBe(true);
  expect(figures.daemonRssMb).toBeCloseTo(samples[0]?.daemonRssMb ?? 0, 0);
}, 120_000);
