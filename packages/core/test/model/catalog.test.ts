import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { costOf } from '@zerd/core/accounting/cost';
import { catalogRows, findModel } from '@zerd/core/model/catalog';
import { localServerAt, providerAt } from '@zerd/core/model/known-hosts';

test('every row is dated, names its source, and no model stands twice as it is now', () => {
  const rows = catalogRows();
  expect(rows.length).toBeGreaterThan(50);
  for (const { price, effectiveFrom = '2026-01-01' } of rows) {
    expect(price.source).toContain('pi-ai');
    expect([price.asOf, effectiveFrom]).toEqual([
      expect.stringMatching(/^2026-\d\d-\d\d$/),
      expect.stringMatching(/^2026-\d\d-\d\d$/),
    ]);
    for (const figure of [price.input, price.output, price.cacheRead, price.cacheWrite])
      expect(Number.isSafeInteger(figure) && figure > 0).toBe(true);
  }
  expect(new Set(rows.map((row) => `${row.provider}/${row.id}`)).size).toBe(rows.length);
  expect([...new Set(rows.map((row) => row.provider))]).toEqual(
    expect.arrayContaining(['anthropic', 'openai', 'google', 'deepseek', 'moonshot', 'zai', 'xai', 'openrouter']),
  );
});

test('a price holds from its day on: what a request cost then is found again later', () => {
  const read = (day?: string) => findModel('anthropic', 'claude-sonnet-5-5', day)?.price.cacheRead;
  expect([read('2026-09-27'), read('2026-10-06'), read('2026-10-07'), read()]).toEqual([
    undefined,
    200_000,
    100_000,
    100_000,
  ]);
});

test('cache facts go by model: minimum prefix, lifetime, one-hour writes, how a miss is explained', () => {
  expect(findModel('anthropic', 'claude-haiku-4-5')).toMatchObject({
    minPrefix: 4096,
    diagnosis: 'anthropic',
    bindsReasoning: false,
    price: { cacheWrite1h: 2_000_000 },
  });
  expect(findModel('anthropic', 'claude-fable-5-2')).toMatchObject({ minPrefix: null, bindsReasoning: true });
  expect(findModel('openai', 'gpt-6.2-sol')).toMatchObject({
    contextWindow: 1_050_000,
    cacheMs: 1_800_000,
    diagnosis: 'openai',
    effort: 'append',
  });
  expect(findModel('openai', 'gpt-5.4')).toMatchObject({ cacheMs: 300_000, diagnosis: null });
});

test('2.1: beyond 100,000 tokens every token of a request costs five times as much with Haiku 5.5', () => {
  const price = findModel('anthropic', 'claude-haiku-5-5')?.price;
  const usage = { uncached: 0, cacheRead: 90_000, cacheWrite: 10_000, output: 100, reported: true };
  expect(costOf(usage, price)).toBe(90_000 * 10_000 + 10_000 * 125_000 + 100 * 500_000);
  expect(costOf({ ...usage, cacheRead: 90_001 }, price)).toBe(90_001 * 50_000 + 10_000 * 625_000 + 100 * 2_500_000);
});

test('an address says whose models it has, and which local servers say nothing of their cache', () => {
  expect(
    [
      'https://api.deepseek.com',
      'https://api.z.ai/api/paas/v4',
      'https://openrouter.ai/api/v1',
      'http://127.0.0.1:4000',
    ].map(providerAt),
  ).toEqual(['deepseek', 'zai', 'openrouter', null]);
  expect(localServerAt('http://localhost:11434/v1')).toEqual({ name: 'Ollama', reportsCache: false });
  expect(localServerAt('http://127.0.0.1:41234')).toBeNull();
  expect(localServerAt('https://example.com:11434')).toBeNull();
});

interface Row {
  readonly provider: string;
  readonly id: string;
  readonly window: number;
  readonly maxOutput: number;
  readonly usd: readonly number[];
  readonly above?: readonly number[];
  readonly from?: string;
}
interface RowTools {
  compareRows(
    known: readonly Row[],
    found: readonly Row[],
  ): readonly { readonly name: string; readonly absurd: boolean }[];
  mergeRows(known: readonly Row[], found: readonly Row[], about: { asOf: string; source: string }): readonly Row[];
  readRows(text: string): readonly Row[];
  rowsText(rows: readonly Row[]): string;
}

const tools = (await import(
  fileURLToPath(new URL('../../../../scripts/catalog/rows.mjs', import.meta.url))
)) as RowTools;

test('a refresh refuses what is absurd: nothing, three times as much, a read dearer than input', () => {
  const known: Row = { provider: 'p', id: 'm', window: 100_000, maxOutput: 8_000, usd: [2, 10, 0.2, 2.5] };
  const verdict = (usd: readonly number[], more = {}) =>
    tools.compareRows([known], [{ ...known, ...more, usd }]).map(({ absurd }) => absurd);
  expect(verdict([2, 10, 0.2, 2.5])).toEqual([]);
  expect(verdict([2, 10, 0.1, 2.5])).toEqual([false]);
  expect(verdict([0, 10, 0.2, 2.5])).toEqual([true]);
  expect(verdict([2, 31, 0.2, 2.5])).toEqual([true]);
  expect(verdict([2, 10, 2.1, 2.5])).toEqual([true]);
  expect(verdict([2, 10, 0.2, 2.5], { window: 10_000 })).toEqual([true]);
  expect(tools.compareRows([known], [])).toMatchObject([{ name: 'p/m', absurd: false }]);
});

test('a changed price becomes a row of its own from its day on, and the file reads back as it was written', () => {
  const known: Row = { provider: 'p', id: 'm', window: 100_000, maxOutput: 8_000, usd: [2, 10, 0.2, 2.5] };
  const merged = tools.mergeRows([known], [{ ...known, usd: [2, 10, 0.1, 2.5] }], { asOf: '2026-12-01', source: 's' });
  expect(merged.map(({ usd, from }) => [usd[2], from])).toEqual([
    [0.2, undefined],
    [0.1, '2026-12-01'],
  ]);
  const dated = merged.map((row) => ({ asOf: '2026-12-01', source: 's', ...row }));
  expect(tools.readRows(tools.rowsText(dated))).toEqual(dated);
});
