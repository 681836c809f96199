import { expect, test } from '@jest/globals';
import { costOf } from '@zerd/core/accounting/cost';
import type { ProviderFailure } from '@zerd/core/model/answer';
import { catalogRows, findModel } from '@zerd/core/model/catalog';
import { maxAttempts, nextAttempt } from '@zerd/core/model/retry';
import type { Usage } from '@zerd/protocol/common/usage';
import fc from 'fast-check';

function failure(code: ProviderFailure['code'], more: Partial<ProviderFailure> = {}): ProviderFailure {
  return { code, message: 'said', retryable: true, ...more };
}

function check(failed: ProviderFailure, attempt: number, random01: number, expected: unknown): void {
  expect(nextAttempt({ failure: failed, attempt, random01 })).toEqual(expected);
}

test('attempts double their distance, jitter takes at most half of it away, and the fifth is the last', () => {
  const failed = failure('provider_timeout');
  check(failed, 1, 0, { kind: 'retry', afterMs: 500 });
  check(failed, 1, 1, { kind: 'retry', afterMs: 1000 });
  check(failed, 4, 1, { kind: 'retry', afterMs: 8000 });
  check(failed, 5, 1, { kind: 'stop', reason: '5 attempts failed.', exhausted: true });
});

test('F-11: a crowded provider is given four times as long, and what it asks for is kept to the millisecond or more', () => {
  check(failure('provider_overloaded'), 1, 1, { kind: 'retry', afterMs: 4000 });
  check(failure('provider_rate_limited', { retryAfterMs: 30_000 }), 1, 0, { kind: 'retry', afterMs: 30_000 });
  check(failure('provider_rate_limited', { retryAfterMs: 30_000 }), 3, 0.5, { kind: 'retry', afterMs: 30_500 });
  check(failure('provider_rate_limited', { retryAfterMs: 0 }), 1, 0.5, { kind: 'retry', afterMs: 0 });
});

test('F-11: Retry-After: 3600 stops and says so', () => {
  check(failure('provider_rate_limited', { retryAfterMs: 3_600_000 }), 1, 0, {
    kind: 'stop',
    reason: 'The provider asks to wait 60 min; zerd waits 10 min at most.',
  });
});

test.each<ProviderFailure['code']>(['provider_quota', 'provider_auth', 'provider_rejected', 'context_overflow'])(
  '%s is never tried again, whatever the provider advises',
  (code) => check(failure(code, { retryAfterMs: 1 }), 1, 0, { kind: 'stop', reason: 'Trying again cannot help.' }),
);

test('no failure is tried more than five times, none sooner than asked, none after more than ten minutes', () => {
  const asked = fc.option(fc.nat(2_000_000), { nil: undefined });
  fc.assert(
    fc.property(asked, fc.double({ min: 0, max: 0.999, noNaN: true }), (retryAfterMs, random01) => {
      const failed = failure('provider_overloaded', retryAfterMs === undefined ? {} : { retryAfterMs });
      let attempt = 1;
      for (let next = nextAttempt({ failure: failed, attempt, random01 }); next.kind === 'retry'; attempt += 1) {
        expect(next.afterMs).toBeGreaterThanOrEqual(retryAfterMs ?? 0);
        expect(next.afterMs).toBeLessThanOrEqual(600_000);
        next = nextAttempt({ failure: failed, attempt: attempt + 1, random01 });
      }
      expect(attempt).toBeLessThanOrEqual(maxAttempts);
    }),
  );
});

test('the catalogue knows what it knows: a read never costs more than input, every row is dated, the rest is null', () => {
  for (const { price, contextWindow, maxOutput } of catalogRows()) {
    expect(price.cacheRead).toBeLessThan(price.input);
    expect(price.cacheWrite).toBeGreaterThanOrEqual(price.input);
    expect(price.asOf).toMatch(/^\d{4}-\d\d-\d\d$/);
    expect(contextWindow).toBeGreaterThanOrEqual(maxOutput);
  }
  expect(findModel('anthropic', 'claude-unheard-of')).toBeNull();
  expect(findModel('openai', 'claude-opus-5-5')).toBeNull();
  expect(findModel('anthropic', 'claude-opus-5-5')).toMatchObject({
    price: { input: 4_000_000, output: 20_000_000, cacheRead: 200_000, cacheWrite: 5_000_000, cacheWrite1h: 8_000_000 },
  });
});

test('a prompt beyond the edge of a price tier pays the long price on every token', () => {
  const haiku = findModel('anthropic', 'claude-haiku-5-5')?.price;
  const usage = (uncached: number): Usage => ({ uncached, cacheRead: 0, cacheWrite: 0, output: 10, reported: true });
  expect(costOf(usage(100_000), haiku)).toBe(100_000 * 100_000 + 10 * 500_000);
  expect(costOf(usage(100_001), haiku)).toBe(100_001 * 500_000 + 10 * 2_500_000);
  const unknownTier = haiku && { ...haiku, above: { tokens: 5, price: null } };
  expect(costOf(usage(6), unknownTier)).toBeNull();
});
