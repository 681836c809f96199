/** The attach bench as it is run, small, and how it counts. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { percentile } from '../../src/bench/attach/percentile.ts';

test('a percentile is the value that a share of all is not above', () => {
  const values = [5, 1, 4, 2, 3];
  expect([0, 0.5, 0.99, 1].map((share) => percentile(values, share))).toEqual([1, 3, 5, 5]);
  expect(percentile([], 0.5)).toBe(0);
});

test('R-06, R-07: clients that come and go hear one order, and the line has all figures', () => {
  const bench = join(import.meta.dirname, '../../dist/bench/attach.js');
  const sizes = ['--events', '300', '--clients', '3', '--sessions', '3', '--json'];
  const { stdout, stderr } = spawnSync(process.execPath, [bench, ...sizes], { encoding: 'utf8', timeout: 60_000 });
  expect(stderr).toBe('');
  const time = expect.any(Number);
  expect(JSON.parse(stdout.trim().split('\n').at(-1) ?? '')).toEqual({
    bench: 'attach',
    orderHashesEqual: true,
    ...{ attachP50Ms: time, attachP99Ms: time, rpcP99Ms: time, loopLagP99Ms: time, echoP99Ms: time },
    daemonRssMb: time,
  });
});
