import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { figuresOf, slopeMbPerH, walMb } from '@zerd/simulator/bench/soak/process-figures';

const onLinux = process.platform === 'linux' ? test : test.skip;

test('F-35: growth is told in megabytes an hour, from the first samples on, and none is 0', () => {
  const each = (rssMb: (n: number) => number) =>
    Array.from({ length: 60 }, (_, n) => ({ atMs: n * 60_000, rssMb: rssMb(n) }));
  expect(slopeMbPerH(each(() => 80))).toBe(0);
  expect(slopeMbPerH(each((n) => 80 + n))).toBeCloseTo(60);
  expect(slopeMbPerH(each((n) => 80 + (n % 2)))).toBeCloseTo(0, 0);
  expect(slopeMbPerH([{ atMs: 0, rssMb: 80 }])).toBe(0);
});

onLinux('F-35: what a process holds is told by the system', () => {
  const { rssMb, fds, children, cpuMs, wakes } = figuresOf(process.pid);
  expect([rssMb > 10, fds > 2, children >= 0, cpuMs > 0, wakes > 0]).toEqual([true, true, true, true, true]);
});

test('the largest write-ahead log below a state home counts', () => {
  const home = mkdtempSync(join(tmpdir(), 'zerd-soak-'));
  for (const [name, bytes] of [
    ['one', 1_000_000],
    ['two', 3_000_000],
    ['none', 0],
  ] as const) {
    mkdirSync(join(home, 'zerd', name), { recursive: true });
    if (bytes > 0) writeFileSync(join(home, 'zerd', name, 'zerd.db-wal'), Buffer.alloc(bytes));
  }
  expect(walMb(home)).toBe(3);
  rmSync(home, { recursive: true });
});
