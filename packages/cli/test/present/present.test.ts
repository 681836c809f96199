import { expect, test } from '@jest/globals';
import { callLabel } from '@zerd/protocol/common/call-label';
import { budgetLines } from '../../src/present/budget-lines.ts';
import { bytes, dollars, duration, money, thousands } from '../../src/present/cost-line.ts';
import { jsonLine } from '../../src/present/json-line.ts';
import { table } from '../../src/present/table.ts';
import { wrap } from '../../src/present/wrap.ts';
import { waitLine } from '../../src/session/tell-waits.ts';
import { check } from '../check.ts';
import { ended } from '../events.ts';
import { sessionId } from '../fake-daemon.ts';

check('money has three digits, or cents above a dollar', dollars, [
  [0, '$0'],
  [1, '$0.000000000001'],
  [3_026_000, '$0.00000303'],
  [12_345_678_901, '$0.0123'],
  [100_000_000_000, '$0.1'],
  [1_500_000_000_000, '$1.50'],
  [123_456_000_000_000, '$123.46'],
]);

check('what has no price is unpriced and never 0 (I11)', money, [
  [{ requests: 2, costPico: 0, unpricedRequests: 2 }, 'unpriced'],
  [{ requests: 2, costPico: 5e11, unpricedRequests: 1 }, '$0.5 + 1 unpriced request'],
  [{ requests: 2, costPico: 0, unpricedRequests: 2, estimatedPico: 2e10 }, 'unpriced (about $0.02, estimated)'],
  [
    { requests: 3, costPico: 5e11, unpricedRequests: 1, estimatedPico: 2e10 },
    '$0.5 + 1 unpriced request (about $0.02, estimated)',
  ],
  [{ requests: 2, costPico: 5e11, unpricedRequests: 0 }, '$0.5'],
  [{ requests: 2, costPico: 5e11, unpricedRequests: 0, estimatedPico: 2e10 }, '$0.5 (about $0.02, estimated)'],
  [{ requests: 0, costPico: 0, unpricedRequests: 0 }, '$0'],
]);

check('counts are short', thousands, [
  [999, '999'],
  [1000, '1.0k'],
  [999_949, '999.9k'],
  [999_950, '1.0M'],
]);

check('bytes are short', bytes, [
  [999, '999 B'],
  [31_234, '31.2 kB'],
  [999_950, '1.0 MB'],
]);

check('durations are short', duration, [
  [20, '0.02 s'],
  [12_345, '12.3 s'],
  [125_000, '2 min 5 s'],
]);

check(
  'a call is named by its tool and what it is applied to',
  ([name, input]: readonly [string, string]) => callLabel(name, input),
  [
    [['read', '{"path":"a.ts"}'], 'read a.ts'],
    [['read', '{"path":"a.ts","offset":10,"limit":5}'], 'read a.ts 10-14'],
    [['read', '{"path":"a.ts","limit":5}'], 'read a.ts 1-5'],
    [['read', '{"path":"a.ts","offset":7}'], 'read a.ts from 7'],
    [['search', '{"pattern":"x+","path":"src","glob":"*.ts"}'], `search 'x+' in src of *.ts`],
    [['find', '{"pattern":"*.go"}'], `find '*.go'`],
    [['shell', '{"command":"npm test"}'], 'shell npm test'],
    [['recall', '{"id":"abc","pattern":"no"}'], `recall abc 'no'`],
    [['edit', '{"path":"a.ts","old":"x","new":"y"}'], 'edit a.ts'],
    [['notes', '{"goal":"Ship.","next":"x"}'], 'notes goal, next'],
    [['notes', '{}'], 'notes'],
    [['todo', JSON.stringify({ list: '[x] a\n - [>] b\nwell\n[X] c' })], 'todo 2 of 3 done'],
    [['todo', '{"list":""}'], 'todo {"list":""}'],
    [['question', '{"text":"Which?\\nOf two.","options":["a","b"]}'], 'question Which?'],
    [['jobs', '{"action":"tail","id":"job_1"}'], 'jobs tail job_1'],
    [['jobs', '{"action":"list"}'], 'jobs list'],
    [['skill', '{"name":"pdf"}'], 'skill pdf'],
    [['mcp', '{"tool":"forge/get_issue","arguments":{"issueNumber":7}}'], 'mcp forge/get_issue {"issueNumber":7}'],
    [['mcp', '{"tool":"forge/list"}'], 'mcp forge/list'],
    [['mcp', '{"find":"close an issue"}'], `mcp find 'close an issue'`],
    [['odd', '{"x":1}'], 'odd {"x":1}'],
    [['odd', '{}'], 'odd'],
    [['read', '{broken'], 'read {broken'],
    [['shell', `{"command":"${'x'.repeat(200)}"}`], `shell ${'x'.repeat(99)}…`],
  ],
);

test('an event is the same line however its notice was put together', () => {
  const event = ended('done');
  const line = jsonLine({ event, at: 2, seq: 1, epoch: 'e', sessionId });
  expect(line).toBe(
    '{"sessionId":"ses_1","epoch":"e","seq":1,"at":2,"event":{"kind":"turn.finished","turnId":"turn_1","outcome":"done"}}\n',
  );
});

test('columns are as wide as their widest cell', () => {
  expect(
    table(
      ['A', 'BB', 'C'],
      [
        ['aaa', 'b', 'c c'],
        ['a', 'b', ''],
      ],
    ),
  ).toBe('A    BB  C\naaa  b   c c\na    b   \n');
});

test.each([
  [40, 'provider/model  The title of a session'],
  [30, 'provider/model  The title of …'],
  [20, '…del  The title of …'],
  [3, '…del  The title of …'],
])('in %d columns the widest of those that may give way do, as far as they may', (columns, line) => {
  const giving = [
    { column: 0, least: 4, keeps: 'end' },
    { column: 1, least: 14, keeps: 'begin' },
  ] as const;
  const rows = [['provider/model', 'The title of a session']];
  expect(table(['', ''], rows, { columns, giving }).split('\n')[1]).toBe(line);
});

test('characters of two columns count as two', () => {
  const giving = [{ column: 0, least: 1, keeps: 'begin' }] as const;
  expect(table(['日本語の題', 'X'], [['ab', 'y']], { columns: 9, giving })).toBe('日本…   X\nab      y\n');
});

test('prose breaks between words', () => {
  expect(wrap('one two three four', 9, 2)).toBe('one two\n  three\n  four');
});

test('a wait is shown with its age and its end', () => {
  expect(waitLine({ for: 'first event from sim/sim', sinceAt: 1000, deadlineAt: 61_000 }, 13_300).text).toBe(
    'waiting for first event from sim/sim: 12.3 s, at most 1 min 0 s',
  );
});

test('a budget that counts what was only estimated says so, in money and in tokens', () => {
  const limit = { pico: 1e12, tokens: 100_000 };
  const spent = {
    spentPico: 5e11,
    spentTokens: 40_000,
    unpricedRequests: 2,
    estimatedPico: 2e11,
    estimatedTokens: 8_000,
  };
  expect(budgetLines([{ scope: 'session', limit, ...spent }])).toEqual([
    'budget of the session: $0.5 of $1.00 spent, $0.5 left, of it $0.2 estimated for 2 unpriced requests',
    'budget of the session: 40.0k of 100.0k tokens spent, 60.0k left, of it 8.0k estimated',
  ]);
  expect(budgetLines([{ scope: 'session', limit: { pico: 1e12 }, ...spent, unpricedRequests: 0 }])).toEqual([
    'budget of the session: $0.5 of $1.00 spent, $0.5 left, of it $0.2 estimated',
  ]);
});
