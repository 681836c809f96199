import { expect, test } from '@jest/globals';
import type { ProviderFailure } from '@zerd/core/model/answer';
import { afterAnswer, afterFailure, type KeyLimit, type Passage, passage } from '@zerd/core/model/key-limit';
import fc from 'fast-check';

const overloaded: ProviderFailure = { code: 'provider_overloaded', message: 'crowded', retryable: true };
const limited = (retryAfterMs: number): ProviderFailure => ({
  code: 'provider_rate_limited',
  message: 'slow',
  retryable: true,
  retryAfterMs,
});
const closed = (more: Partial<KeyLimit> = {}): KeyLimit => ({
  closedAt: 1_000,
  opensAt: 5_000,
  closings: 1,
  why: 'provider_overloaded',
  ...more,
});

function checkFailure(before: KeyLimit | undefined, failure: ProviderFailure, at: number[], after: unknown): void {
  const [startedAt = 0, now = 0] = at;
  expect(afterFailure(before, failure, { startedAt, now })).toEqual(after);
}

test('F-11: a refusal for lack of room closes the key, twice as long each time in a row', () => {
  checkFailure(undefined, overloaded, [0, 1_000], closed());
  checkFailure(closed(), overloaded, [5_000, 6_000], closed({ closings: 2, closedAt: 6_000, opensAt: 14_000 }));
  const late = closed({ closings: 9 });
  checkFailure(late, overloaded, [5_000, 6_000], closed({ closings: 10, closedAt: 6_000, opensAt: 606_000 }));
});

test('F-11: what the provider asks to wait is kept, and those who were under way add nothing but their time', () => {
  checkFailure(undefined, limited(30_000), [0, 1_000], closed({ opensAt: 31_000, why: 'provider_rate_limited' }));
  checkFailure(closed(), overloaded, [900, 1_200], closed({ opensAt: 5_200 }));
  checkFailure(closed(), limited(1_000), [900, 1_200], closed({ why: 'provider_rate_limited' }));
});

test('another failure says nothing about the key, an answer opens it, one to an earlier request does not', () => {
  const cut: ProviderFailure = { code: 'provider_truncated', message: 'cut', retryable: true };
  checkFailure(closed(), cut, [2_000, 3_000], closed());
  expect(afterAnswer(closed(), 5_000)).toBeUndefined();
  expect(afterAnswer(closed(), 900)).toEqual(closed());
});

function checkPassage(limit: KeyLimit | undefined, now: number, expected: Passage, asked = false): void {
  expect(passage(limit, { now, since: 1_000, asked, random01: 0.5 })).toEqual(expected);
}

test('who comes while the key is closed waits until it opens and a little more', () => {
  checkPassage(undefined, 1_000, { kind: 'go' });
  checkPassage(closed(), 5_000, { kind: 'go' });
  checkPassage(closed(), 1_000, { kind: 'wait', afterMs: 4_500 });
  checkPassage(closed({ opensAt: 121_000 }), 1_000, { kind: 'wait', afterMs: 125_000 });
});

test('F-11: Retry-After: 3600 stops the others too and says so, but a person may find out anew', () => {
  const hour = closed({ opensAt: 3_601_000 });
  checkPassage(hour, 1_000, {
    kind: 'stop',
    reason:
      'Another session with this key was refused, and the key stays closed for 60 min more; zerd waits 10 min at most. Nothing was sent.',
  });
  checkPassage(hour, 1_000, { kind: 'go' }, true);
});

test('F-11: in a storm of half an hour, twenty sessions with one key send few requests, none too early, and none for ever', () => {
  const jitter = fc.array(fc.double({ min: 0, max: 0.999, noNaN: true }), { minLength: 20, maxLength: 20 });
  fc.assert(
    fc.property(jitter, (random) => {
      const { requests, tooEarly, longest } = storm(random);
      expect(tooEarly).toBe(0);
      expect(requests).toBeLessThan(60);
      expect(longest).toBeLessThanOrEqual(600_000 + 10_000);
    }),
  );
});

/** Each session tries when it may and gives up when it is told to; every request is refused at once. */
function storm(random: readonly number[]): { requests: number; tooEarly: number; longest: number } {
  let limit: KeyLimit | undefined;
  let requests = 0;
  let tooEarly = 0;
  let longest = 0;
  const waiting = random.map((random01) => ({ at: 0, since: 0, random01 }));
  while (waiting.length > 0) {
    waiting.sort((a, b) => a.at - b.at);
    const sender = waiting.shift();
    if (sender === undefined || sender.at > 1_800_000) break;
    const now = sender.at;
    longest = Math.max(longest, now - sender.since);
    const next = passage(limit, { ...sender, now, asked: false });
    if (next.kind === 'wait') waiting.push({ ...sender, at: now + next.afterMs });
    if (next.kind !== 'go') continue;
    requests += 1;
    tooEarly += limit !== undefined && now < limit.opensAt ? 1 : 0;
    limit = afterFailure(limit, overloaded, { startedAt: now, now: now + 1 });
    waiting.push({ ...sender, at: now + 1, since: now + 1 });
  }
  return { requests, tooEarly, longest };
}
