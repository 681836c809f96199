import { expect, test } from '@jest/globals';
import type { RequestId, SessionId, TurnId } from '@zerd/protocol/common/ids';
import type { SessionCost, Totals } from '@zerd/protocol/common/methods';
import { costPage } from '../../src/present/cost-page.ts';
import type { CostPage } from '../../src/present/cost-page-shape.ts';
import { filled } from '../../src/session/write-cost-page.ts';

type Paid = NonNullable<SessionCost['requests']>[number];

const totals: Totals = {
  requests: 2,
  uncached: 100,
  cacheRead: 900,
  cacheWrite: 0,
  output: 5,
  costPico: 0,
  unpricedRequests: 2,
};
const quiet: SessionCost = {
  sessionId: 'ses_1' as SessionId,
  byPurpose: [],
  subagents: { ...totals, requests: 0 },
  misses: [],
  notReported: [],
  carried: [],
  advice: [],
};
const paid: Paid = {
  seq: 10,
  at: 1,
  requestId: 'req_1' as RequestId,
  turnId: 'turn_1' as TurnId,
  model: 'sim/sim',
  attempt: 1,
  purpose: 'turn',
  outcome: 'answered',
  copied: false,
  bytes: 1,
  costPico: null,
  billed: false,
};

function pageOf(session: Partial<SessionCost>): CostPage {
  const cost = { totals, byModel: [{ model: 'sim/sim', totals }] };
  return costPage(cost, { ...quiet, ...session }, { version: '1', writtenAt: 0 });
}

function check(name: string, request: Partial<Paid>, expected: Partial<CostPage['requests'][number]>): void {
  test(name, () => {
    expect(pageOf({ requests: [{ ...paid, ...request }] }).requests).toEqual([expect.objectContaining(expected)]);
  });
}

const parts = { uncached: 1, cacheRead: 2, cacheWrite: 3, cacheWrite1h: 4, output: 5, adjusted: 0 };
const usage = { uncached: 10, cacheRead: 20, cacheWrite: 30, output: 40, reported: true };

check('I11: what has no price is no 0', {}, { money: null, cache: null, output: null, carries: null });
check('money comes by its parts', { costPico: 15, parts }, { money: [2, 7, 1, 5, 0] });
check(
  'what was billed beyond the rates stands on top; a bill below them stands alone',
  { costPico: 11, parts: { ...parts, adjusted: -4 } },
  { money: [0, 0, 0, 0, 11] },
);
check('a bill without rates stands alone', { costPico: 9 }, { money: [0, 0, 0, 0, 9] });
check('tokens come as read, written and uncached', { usage }, { cache: [20, 30, 10], output: 40 });
check('tokens that were not reported are unknown', { usage: { ...usage, reported: false } }, { cache: null });
check(
  'what is carried comes from the fixed part up',
  { carries: { system: 1, tools: 2, messages: 3, results: 4 } },
  { carries: [2, 1, 3, 4] },
);
check(
  'a copy of the parent is named',
  { copied: true, purpose: 'failed' },
  { purpose: 'broke off, paid in the parent' },
);

test('the head never says 0 for what has no price, and says what the figures leave out', () => {
  const { figures, notes } = pageOf({
    subagents: { ...totals, requests: 3, costPico: 5e11, unpricedRequests: 0 },
    notReported: ['local/m\x1b[2J'],
    requests: [{ ...paid, copied: true }],
  });
  expect(figures).toEqual([
    ['cost', 'unpriced'],
    ['requests', '2'],
    ['tokens in', '1.0k'],
    ['read from the cache', '90 %'],
    ['tokens out', '5'],
    ['model', 'sim/sim'],
  ]);
  expect(notes).toEqual([
    'Sub-agents, beside that: $0.5 in 3 requests.',
    '1 request at the beginning: paid in the session that this is a fork of.',
    'local/m\\x1b[2J: the endpoint says nothing of its cache, so nothing is known of misses.',
  ]);
});

test('a miss is marked at its request, a change at the first request behind it or else at the last one', () => {
  const requests = [paid, { ...paid, seq: 20, requestId: 'req_2' as RequestId }];
  const miss = { requestId: 'req_2' as RequestId, seq: 20, at: 0, model: 'sim/sim', read: 0 } as const;
  const change = { at: 0, copied: false } as const;
  const { marks } = pageOf({
    requests,
    misses: [
      { ...miss, tokens: 5_000, costPico: 4e10, cause: 'idle', blame: 'yours', planned: false, says: 'idle' },
      {
        ...miss,
        tokens: 9,
        costPico: null,
        cause: 'trimmed',
        blame: 'ours',
        planned: true,
        says: 'cut',
        segment: 'm 4',
      },
    ],
    changes: [
      { ...change, seq: 15, kind: 'trimmed', says: 'due\u202e' },
      { ...change, seq: 12, kind: 'compacted', says: 'due' },
      { ...change, seq: 30, kind: 'modelChanged', says: 'big' },
      { ...change, seq: 5, kind: 'trimmed', says: 'early' },
    ],
  });
  expect(marks.map(({ kind, request, tokens, money, by, says }) => [kind, request, tokens, money, by, says])).toEqual([
    ['trim', 0, null, '', 'zerd', 'early'],
    ['miss', 1, 5_000, '$0.04', 'you', 'idle'],
    ['planned', 1, 9, 'unpriced', 'zerd', 'cut (from m 4 on)'],
    ['trim', 1, null, '', 'zerd', 'due\\u{202e}'],
    ['summary', 1, null, '', 'zerd', 'due'],
    ['model', 1, null, '', 'you', 'big'],
  ]);
  expect(pageOf({ changes: [{ ...change, seq: 5, kind: 'trimmed', says: 'before any' }] }).marks).toEqual([]);
});

test('the data goes where the page has its place, and no text in it can end that', () => {
  const page = pageOf({ advice: ['</script><script>alert(1)</script> @@cost@@ $&'] });
  const html = filled('<script>@@cost@@</script>', page);
  expect(html.match(/<\/?script>/g)).toEqual(['<script>', '</script>']);
  expect(JSON.parse(html.slice('<script>'.length, -'</script>'.length))).toEqual(page);
  expect(() => filled('<p></p>', page)).toThrow('no place');
});
