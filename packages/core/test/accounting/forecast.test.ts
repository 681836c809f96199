import { expect, test } from '@jest/globals';
import { cacheWarning } from '@zerd/core/accounting/cache-warning';
import { type ForecastMoment, forecast } from '@zerd/core/accounting/forecast';
import { plannerModel } from '@zerd/core/context/relieve/planner-model';
import { applyEvent, foldSession } from '@zerd/core/session/fold';
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { TurnId } from '@zerd/protocol/common/ids';
import { createLog, price } from './logs.ts';

const model = plannerModel({ wire: 'anthropic', contextWindow: 200_000, maxOutput: 8_000, price, row: null });
const turnId = 'turn_2' as TurnId;

function moment(of: Partial<ForecastMoment> & { readonly now: number }): ForecastMoment {
  return { model, price, window: 6, rule: 'due', compacts: true, marks: true, ...of };
}

function warm() {
  const log = createLog({ system: 'You are zerd. '.repeat(200) }).turn();
  log.add({ kind: 'message.submitted', turnId, text: 'Do it.' });
  log.answered({ write: 30_000 }).answered({ read: 30_000, write: 20_000 });
  log.add({ kind: 'turn.finished', turnId, outcome: 'done' });
  const at = log.events.at(-1)?.at ?? 0;
  return { log, at };
}

test('a warm prompt is read, only what is new is written, and nothing is said of a rewrite', () => {
  const { log, at } = warm();
  const text = 'And now the next thing. '.repeat(50);
  const seen = forecast(foldSession(log.events), text, moment({ now: at + 1_000 }));
  expect(seen).toMatchObject({ plan: 'keep', read: 50_000, rewritten: 0, why: undefined });
  expect(seen.prompt).toBeGreaterThan(50_100);
  const figure = 50_000 * price.cacheRead + (seen.prompt - 50_000) * price.cacheWrite;
  expect(Math.abs((seen.costPico ?? 0) - figure)).toBeLessThan(price.cacheWrite);
  expect(seen.ways.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['send', 'new']));
});

test('after a long pause all of it is written anew: how much, why, its price, and what else could be done', () => {
  const { log, at } = warm();
  const seen = forecast(foldSession(log.events), 'Go on.', moment({ now: at + 432_000 }));
  expect(seen).toMatchObject({ read: 0, rewritten: 50_000 });
  expect(seen.why).toMatch(/^idle for 7 min 1[2-4] s, and the provider keeps it for 5 min$/);
  expect(seen.costPico).toBeGreaterThanOrEqual(50_000 * price.cacheWrite);
  const [send, ...others] = seen.ways;
  expect(send?.costPico).toBe(seen.costPico);
  for (const way of others) expect(way.prompt).toBeLessThan(send?.prompt ?? 0);
});

test('another model holds nothing, whatever the time', () => {
  const { log, at } = warm();
  log.add({ kind: 'model.changed', model: 'sim/big' });
  expect(forecast(foldSession(log.events), 'Go on.', moment({ now: at + 1_000 })).why).toBe(
    'another model answers: sim/big holds nothing of it',
  );
});

test('I11: without a price there is no figure; above a tier the whole costs more', () => {
  const { log, at } = warm();
  const state = foldSession(log.events);
  const unpriced = forecast(state, 'Go on.', moment({ now: at + 1_000, price: null }));
  expect([unpriced.costPico, ...unpriced.ways.map(({ costPico }) => costPico)]).toEqual([
    null,
    ...unpriced.ways.map(() => null),
  ]);
  const above = { ...price, above: { tokens: 40_000, price: { ...price, cacheRead: 5 * price.cacheRead } } };
  const usual = forecast(state, 'Go on.', moment({ now: at + 1_000 })).costPico ?? 0;
  expect(forecast(state, 'Go on.', moment({ now: at + 1_000, price: above })).costPico).toBe(
    usual + 4 * 50_000 * price.cacheRead,
  );
});

const endpoint = { wire: 'anthropic', codex: false, own: false } as const;
const about = { cacheMs: 300_000, minPrefix: null, reportsCache: undefined };

function warning(
  requests: readonly { read?: number; write?: number; uncached?: number; after?: number }[],
  more = about,
) {
  const log = createLog().turn();
  for (const of of requests) log.answered(of);
  const state = foldSession(log.events);
  return { state, event: cacheWarning(state, turnId, more, endpoint), log };
}

test('a model that writes and never reads is told of once, with what to do', () => {
  const cold = { write: 20_000 };
  const { state, event } = warning([cold, cold, cold]);
  expect(event).toMatchObject({
    kind: 'cache.warned',
    model: 'sim/sim',
    text: expect.stringContaining('cache_control'),
  });
  const after = applyEvent(state, { seq: 99, at: 0, event: event as SessionEvent });
  expect(cacheWarning(after, turnId, about, endpoint)).toBeUndefined();
});

test.each([
  ['one request alone', [{ write: 20_000 }, { write: 20_000 }]],
  ['reads', [{ write: 20_000 }, { read: 20_000 }, { read: 20_000 }]],
  ['an endpoint that never says anything', [{ uncached: 20_000 }, { uncached: 20_000 }, { uncached: 20_000 }]],
  ['prompts below the minimum', [{ write: 900 }, { write: 900 }, { write: 900 }]],
  ['pauses beyond the lifetime', [{ write: 20_000 }, { write: 20_000 }, { write: 20_000, after: 400_000 }]],
])('nothing is said of %s', (_name, requests) => {
  expect(warning(requests).event).toBeUndefined();
});

test('a model that is known to report is held to it even when all it says is 0', () => {
  const silent = { uncached: 20_000 };
  expect(warning([silent, silent, silent], { ...about, reportsCache: true as never }).event).toBeDefined();
});
