import { expect, test } from '@jest/globals';
import { type Ledger, ledgerOf } from '@zerd/core/accounting/ledger';
import { addTotals, noTotals } from '@zerd/core/accounting/totals';
import { project, type SessionSummary } from '@zerd/core/session/summary';
import type { LoggedEvent } from '@zerd/protocol/common/event';
import type { SessionId } from '@zerd/protocol/common/ids';
import fc from 'fast-check';
import { type Asked, createLog, otherSession } from './logs.ts';

function projected(events: readonly LoggedEvent[]) {
  let summary: SessionSummary | undefined;
  let totals = noTotals;
  for (const logged of events) {
    const next = project(summary, 'ses_1' as SessionId, logged);
    summary = next.summary;
    if (next.usage === undefined) continue;
    const { uncached, cacheRead, cacheWrite, output } = next.usage.usage;
    const costPico = next.usage.costPico;
    totals = addTotals(totals, {
      requests: 1,
      uncached,
      cacheRead,
      cacheWrite,
      output,
      costPico: costPico ?? 0,
      unpricedRequests: costPico === null ? 1 : 0,
    });
  }
  return { row: summary?.row, totals };
}

function partsSum({ requests }: Ledger): readonly boolean[] {
  return requests.map(({ parts, costPico }) =>
    parts === null ? true : Object.values(parts).reduce((sum, part) => sum + part, 0) === costPico,
  );
}

test('a request keeps what it was for, its tokens by kind and what each kind cost', () => {
  const log = createLog()
    .turn()
    .answered({ uncached: 10, write: 3_000, write1h: 1_000 })
    .failed({ read: 3_000, write: 50 }, true)
    .failed({})
    .answered({ read: 3_010, purpose: 'keepWarm' })
    .answered({ read: 3_010, write: 20, purpose: 'compaction', apart: true });
  const { requests, totals, byPurpose } = ledgerOf(log.events);
  expect(requests.map(({ purpose, outcome, apart }) => [purpose, outcome, apart])).toEqual([
    ['turn', 'answered', false],
    ['failed', 'failed', false],
    ['failed', 'failed', false],
    ['keepWarm', 'answered', false],
    ['compaction', 'answered', true],
  ]);
  expect(requests[0]?.parts).toEqual({
    uncached: 20_000_000,
    cacheRead: 0,
    cacheWrite: 2_000 * 2_500_000,
    cacheWrite1h: 1_000 * 4_000_000,
    output: 1_000_000_000,
    adjusted: 0,
  });
  expect(totals).toMatchObject({ requests: 4, cacheRead: 9_020, cacheWrite: 3_070, unpricedRequests: 0 });
  expect(byPurpose.map(({ purpose, totals: of }) => [purpose, of.requests])).toEqual([
    ['turn', 1],
    ['failed', 1],
    ['keepWarm', 1],
    ['compaction', 1],
  ]);
});

test('2.1: what the provider says it billed wins over its price row, is marked, and the difference has a place', () => {
  const log = createLog().turn().answered({ uncached: 1_000, billedPico: 5_000_000_000 });
  expect(ledgerOf(log.events).requests).toMatchObject([
    {
      billed: true,
      costPico: 5_000_000_000,
      parts: { uncached: 2_000_000_000, output: 1_000_000_000, adjusted: 2_000_000_000 },
    },
  ]);
});

test('P094: what sub-agents cost is the sum of their own ledgers, whichever model they ask', () => {
  const parent = createLog().turn().answered({ write: 1_000 });
  const child = createLog({ parent: { sessionId: otherSession, callId: 'call_1' as never, title: 'look', depth: 1 } })
    .turn()
    .answered({ write: 500 })
    .answered({ write: 700, model: 'sim/small' });
  const [a, b] = [ledgerOf(parent.events), ledgerOf(child.events)];
  expect(addTotals(a.totals, b.totals)).toMatchObject({ requests: 3, cacheWrite: 2_200 });
  expect(b.byModel.map(({ model, totals }) => [model, totals.cacheWrite])).toEqual([
    ['sim/sim', 500],
    ['sim/small', 700],
  ]);
});

test('what a fork holds of its parent was paid there', () => {
  const log = createLog({ forkOf: { sessionId: otherSession, seq: 4 } })
    .turn()
    .answered({ write: 1_000 })
    .answered({ read: 1_000 });
  const { requests, totals } = ledgerOf(log.events);
  expect(requests.map(({ copied }) => copied)).toEqual([true, false]);
  expect(totals).toMatchObject({ requests: 1, cacheRead: 1_000, cacheWrite: 0 });
  expect(projected(log.events).totals).toEqual(totals);
});

const asked: fc.Arbitrary<Asked & { readonly how: 'answered' | 'failed' | 'spent' }> = fc.record({
  how: fc.constantFrom('answered', 'answered', 'failed', 'spent'),
  model: fc.constantFrom('sim/sim', 'sim/small'),
  read: fc.nat(1_000_000),
  write: fc.nat(1_000_000),
  uncached: fc.nat(1_000_000),
  unpriced: fc.boolean(),
  billedPico: fc.option(fc.nat(2_000_000_000), { nil: undefined as never }),
});

test('I11: for every log the parts add up to each cost, the requests to the totals, and the store projects the same', () => {
  fc.assert(
    fc.property(fc.array(asked, { maxLength: 12 }), fc.nat(12), (story, forkedAt) => {
      const log = createLog({ forkOf: { sessionId: otherSession, seq: forkedAt } }).turn();
      for (const { how, billedPico, ...of } of story) {
        const request = billedPico === undefined ? of : { ...of, unpriced: false, billedPico };
        if (how === 'answered') log.answered(request);
        else log.failed(request, how === 'spent');
      }
      const ledger = ledgerOf(log.events);
      expect(partsSum(ledger)).not.toContain(false);
      const { row, totals } = projected(log.events);
      expect(ledger.totals).toEqual(totals);
      expect([row?.costPico, row?.requests]).toEqual([totals.costPico, totals.requests]);
      for (const groups of [ledger.byModel, ledger.byPurpose])
        expect(groups.reduce((sum, { totals: of }) => addTotals(sum, of), noTotals)).toEqual(totals);
    }),
  );
});
