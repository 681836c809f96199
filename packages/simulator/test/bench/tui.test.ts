/** The bench of the terminal UI at work on little: that it measures, and against what, not how fast this machine is. */
import { expect, test } from '@jest/globals';
import { measureTui } from '../../src/bench/tui/measure-tui.ts';

test('the line of the bench has all of its figures, and keys are counted over those of a bare cat', async () => {
  const told: string[] = [];
  const scope = { folder: `tui-${process.pid}`, scrollback: 100, idleMs: 200, paints: 1 };
  const figures = await measureTui({ seconds: 1, tell: (line) => told.push(line), scope });
  const some = expect.any(Number);
  expect(figures).toEqual({
    bench: 'tui',
    firstPaintMs: some,
    keyToPaintP50Ms: some,
    keyToPaintP99Ms: some,
    cpuPercent: some,
    idleCpuPercent: some,
    rssMb: some,
    terminalKbPerS: some,
  });
  const { bench: _, ...numbers } = figures;
  expect(Object.values(numbers).every((figure) => Number.isFinite(figure) && figure >= 0)).toBe(true);
  expect(figures.firstPaintMs).toBeGreaterThan(0);
  expect(figures.rssMb).toBeGreaterThan(0);
  expect(told).toEqual([
    expect.stringMatching(/^pieces of the answer: \d+ a second$/),
    expect.stringMatching(/^keys: [1-9]\d* typed, bare cat \d+\.\d\d ms median$/),
  ]);
}, 120_000);
