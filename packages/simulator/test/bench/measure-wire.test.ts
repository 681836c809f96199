/** The bench through the built CLI: real daemon, real tools. */
import { expect, test } from '@jest/globals';
import { type BenchScript, benchScripts } from '../../src/bench/bench-scripts.ts';
import { measureWire } from '../../src/bench/measure-wire.ts';

const small: BenchScript = {
  files: () => new Map([['a.txt', 'alpha\n'.repeat(300)]]),
  prompt: 'Look.',
  steps: [
    { calls: [{ name: 'read', input: { path: 'a.txt' } }] },
    { calls: [{ name: 'shell', input: { command: 'wc -l a.txt' } }] },
  ],
};

test('the same script gives the same figures on every run', async () => {
  const first = await measureWire('test-small', small, 'chat');
  expect(first).toMatchObject({
    bench: 'wire',
    script: 'test-small',
    wire: 'chat',
    model: 'sim',
    requests: 3,
    extraRequests: 0,
  });
  expect(await measureWire('test-small', small, 'chat')).toEqual(first);
}, 120_000);

test('what the script edits is looked for on disk, and the window is set', async () => {
  const edit = { path: 'a.txt', old: 'beta', new: 'gamma' };
  const script: BenchScript = {
    files: () => new Map([['a.txt', 'alpha\nbeta\n']]),
    prompt: 'Mend.',
    steps: [{ calls: [{ name: 'edit', input: edit }] }],
    edits: [edit, { ...edit, new: 'delta' }],
  };
  expect(await measureWire('test-edit', script, 'responses', 3)).toMatchObject({
    wire: 'responses',
    requests: 2,
    edits: 2,
    editsOnDisk: 1,
  });
}, 120_000);

test('the seed script makes 37 requests and says exactly what it cost', async () => {
  const { seed } = benchScripts;
  if (seed === undefined) throw new Error('no seed script');
  const figures = await measureWire('test-seed', seed, 'anthropic');
  const n = expect.any(Number);
  expect(figures).toEqual({
    bench: 'wire',
    script: 'test-seed',
    wire: 'anthropic',
    model: 'sim',
    requests: 37,
    extraRequests: 0,
    requestBytes: n,
    bytesPerRequest: Math.round(figures.requestBytes / 37),
    systemTokens: n,
    toolsTokens: n,
    peakTokens: n,
    cacheRead: n,
    cacheWrite: n,
    uncached: n,
    hitRate: n,
    weighted: n,
    trims: n,
    compactions: 0,
    rereads: 0,
  });
  const { uncached, cacheRead, cacheWrite, hitRate, weighted } = figures;
  // What it cost when results were only shortened: 234,213 weighted, 4.96 MB (docs/baseline.md).
  expect(weighted).toBeLessThanOrEqual(85_000);
  expect(figures.requestBytes).toBeLessThanOrEqual(2_000_000);
  expect(weighted).toBeCloseTo(uncached + 0.1 * cacheRead + 1.25 * cacheWrite, 0);
  expect(hitRate).toBeCloseTo(cacheRead / (cacheRead + cacheWrite + uncached), 3);
  expect(hitRate).toBeGreaterThan(0.9);
}, 120_000);
