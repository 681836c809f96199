import { expect, test } from '@jest/globals';
import { priceFromUsd } from '@zerd/core/accounting/price';
import type { Answer } from '@zerd/core/model/answer';
import { emptySession } from '@zerd/core/session/fold';
import type { Usage } from '@zerd/protocol/common/usage';
import { failedEvent, finished } from '../../src/runner/attempt.ts';
import type { TurnContext } from '../../src/runner/turn-context.ts';

const price = priceFromUsd({ input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 }, 'a list', '2026-11-29');
const turn = {
  turnId: 'turn_1',
  model: { price },
  state: () => emptySession,
} as unknown as TurnContext;
const usage: Usage = { uncached: 10, cacheRead: 100, cacheWrite: 0, output: 2, reported: true };
const cost = 10 * 3_000_000 + 100 * 300_000 + 2 * 15_000_000;

const answered = (more: Partial<Answer>) =>
  finished(turn, 'req_1' as never, { content: [], stopReason: 'end', usage, ...more }, { input: 'Go' });

test('an answer is paid by the list, by what was billed, or estimated, and never by two of them', () => {
  const priority = { ...usage, tier: 'priority' };
  const silent = { ...usage, uncached: 0, cacheRead: 0, output: 0, reported: false };
  expect(answered({})).toMatchObject({ costPico: cost });
  expect(answered({})).not.toHaveProperty('estimated');
  expect(answered({ usage: priority })).toMatchObject({
    costPico: null,
    estimated: { prompt: 0, output: 0, costPico: cost },
  });
  expect(answered({ usage: priority })).not.toHaveProperty('rates');
  expect(answered({ usage: priority, billedPico: 7 })).toMatchObject({ costPico: 7, billed: true });
  expect(answered({ usage: priority, billedPico: 7 })).not.toHaveProperty('estimated');
  expect(answered({ usage: silent })).toMatchObject({ costPico: null, estimated: { costPico: expect.any(Number) } });
  expect(answered({ usage: silent, billedPico: 7 })).toMatchObject({ costPico: 7, estimated: { costPico: null } });
});

test('what had arrived of an answer that broke off is estimated beside what was reported of its prompt', () => {
  const failure = { code: 'interrupted', message: 'stopped' } as const;
  const failed = { failure, body: { input: 'Go' }, partial: '', spent: usage, heard: 3_000 };
  expect(failedEvent(turn, 'req_1' as never, failed)).toMatchObject({
    usage,
    costPico: cost,
    estimated: { prompt: 0, output: 998, costPico: 998 * 15_000_000 },
  });
});
