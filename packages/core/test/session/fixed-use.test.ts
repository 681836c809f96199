import { expect, test } from '@jest/globals';
import { knownFixed } from '@zerd/core/accounting/fixed-part';
import { foldSession } from '@zerd/core/session/fold';
import type { LoggedEvent } from '@zerd/protocol/common/event';
import { createLog } from '../accounting/logs.ts';

const usesOf = (events: readonly LoggedEvent[]) => foldSession(events).fixedUses;

/** Where each request was sent, by the log. */
const startedAt = (events: readonly LoggedEvent[]) =>
  events.flatMap(({ at, event }) => (event.kind === 'request.started' ? [at] : []));

test('of each model is kept when it was last sent the fixed part, and the request that held least besides', () => {
  const log = createLog();
  log.answered({ segments: ['T', 'S', 'a'], uncached: 1_000 });
  log.answered({ segments: ['T', 'S', 'a', 'b', 'c'], uncached: 3_000 });
  log.answered({ segments: ['T', 'S', 'a', 'b', 'c', 'd'], uncached: 5_000, model: 'sim/other' });
  const [, second, third] = startedAt(log.events);
  const uses = usesOf(log.events);
  expect([...uses].map(([model, { usedAt, prompt }]) => [model, usedAt, prompt])).toEqual([
    ['sim/sim', second, 1_000],
    ['sim/other', third, 5_000],
  ]);
  const share = uses.get('sim/sim')?.share ?? 0;
  expect(share).toBeGreaterThan(uses.get('sim/other')?.share ?? 0);
  expect(knownFixed(uses, 'sim/sim')).toBe(Math.floor(1_000 * share));
});

test('a prompt of its own counts as no use, a request beside the conversation does', () => {
  const log = createLog();
  log.answered({ segments: ['T', 'S', 'a'], uncached: 1_000 });
  log.answered({ segments: ['T', 'S', 'x'], uncached: 9_000, purpose: 'compaction', apart: true });
  const [first] = startedAt(log.events);
  expect(usesOf(log.events).get('sim/sim')).toMatchObject({ usedAt: first, prompt: 1_000 });
  log.answered({ segments: ['T', 'S', 'a', 'b'], uncached: 2_000, purpose: 'keepWarm' });
  expect(usesOf(log.events).get('sim/sim')).toMatchObject({ usedAt: startedAt(log.events).at(-1), prompt: 1_000 });
});

test('nothing is known before anything was reported', () => {
  expect(knownFixed(usesOf(createLog().events), 'sim/sim')).toBeUndefined();
});
