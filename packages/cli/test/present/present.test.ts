import { expect, test } from '@jest/globals';
import { callLabel } from '@zerd/protocol/common/call-label';
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { ArchiveId } from '@zerd/protocol/common/ids';
import { budgetLines } from '../../src/present/budget-lines.ts';
import { bytes, costLine, dollars, duration, money, thousands } from '../../src/present/cost-line.ts';
import { jsonLine } from '../../src/present/json-line.ts';
import { paint } from '../../src/present/paint.ts';
import { emptyProgress, progress, type View } from '../../src/present/progress.ts';
import { closingLines, reportJson } from '../../src/present/run-report.ts';
import { addEvent, costUsd, emptySummary, flowOf, type Summary } from '../../src/present/summary.ts';
import { table } from '../../src/present/table.ts';
import { wrap } from '../../src/present/wrap.ts';
import { waitLine } from '../../src/session/tell-waits.ts';
import { answered, asked, begun, called, calls, created, ended, returned, says, wants } from '../events.ts';
import { requestId, sessionId, turnId } from '../fake-daemon.ts';

function check<I, O>(name: string, apply: (input: I) => O, rows: readonly (readonly [input: I, expected: O])[]): void {
  test(name, () => expect(rows.map(([input]) => apply(input))).toEqual(rows.map(([, expected]) => expected)));
}

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
    [['odd', '{"x":1}'], 'odd {"x":1}'],
    [['odd', '{}'], 'odd'],
    [['read', '{broken'], 'read {broken'],
    [['shell', `{"command":"${'x'.repeat(200)}"}`], `shell ${'x'.repeat(99)}…`],
  ],
);

/** What is drawn for the newest of these events. */
function drawn(events: readonly SessionEvent[], view: View = 'watch', colour = false): string {
  let known = emptyProgress;
  let text = '';
  for (const event of events) {
    const [next, lines] = progress(known, { at: 5000, event }, view);
    known = next;
    text = lines.map((line) => paint(line, colour)).join('');
  }
  return text;
}

check('each event has its lines', (events: readonly SessionEvent[]) => drawn(events), [
  [[created], 'session with sim/sim, mode ask, in /repo\n'],
  [begun('one\ntwo'), '> one\n  two\n'],
  [[asked(31_234)], 'request 1 to sim/sim, 31.2 kB\n'],
  [[asked(9, 1), asked(9, 2)], 'request 2 (attempt 2) to sim/sim, 9 B\n'],
  [
    [
      {
        kind: 'request.failed',
        requestId,
        turnId,
        failure: { code: 'provider_overloaded', message: 'busy', status: 529 },
        retryAt: 7000,
      },
    ],
    'request failed: provider_overloaded 529: busy; trying again in 2.00 s\n',
  ],
  [
    [{ kind: 'request.failed', requestId, turnId, failure: { code: 'provider_auth', message: 'no' } }],
    'request failed: provider_auth: no\n',
  ],
  [
    [
      {
        kind: 'request.failed',
        requestId,
        turnId,
        failure: { code: 'interrupted', message: 'interrupted by the user' },
      },
    ],
    '',
  ],
  [[answered([says('Let me look.\n'), calls('c1', 'read', {})])], 'Let me look.\n'],
  [[called('c1', 'read', { path: 'a.ts' })], ''],
  [[called('c1', 'read', { path: 'a.ts' }), returned('c1')], '✓ read a.ts (0.02 s)\n'],
  [
    [called('c1', 'shell', { command: 'npm test' }), returned('c1', { outcome: 'failed', exitCode: 1, shown: 'boom' })],
    '✗ shell npm test (exit 1, 0.02 s)\n',
  ],
  [
    [called('c1', 'read', { path: 'no' }), returned('c1', { outcome: 'failed', shown: 'No such file.\nmore' })],
    '✗ read no (0.02 s): No such file.\n',
  ],
  [[called('c1', 'shell', { command: 'ls' }), returned('c1', { outcome: 'denied' })], '- shell ls (denied, 0.02 s)\n'],
  [
    [called('c1', 'shell', { command: 'ls' }), returned('c1', { outcome: 'unknown' })],
    '? shell ls (unknown, 0.02 s)\n',
  ],
  [[called('c1', 'shell', { command: 'a\nb\x1b[2J' }), returned('c1')], '✓ shell a\\nb\\x1b[2J (0.02 s)\n'],
  [[wants('shell', 'rm -rf build')], '? shell asks:\n  rm -rf build\n'],
  [[{ kind: 'mode.changed', mode: 'full' }], 'mode is now full\n'],
  [[{ kind: 'model.changed', model: 'a/b' }], 'model is now a/b\n'],
  [
    [...begun('x'), asked(500), called('c1', 'read', {}), answered([says('ok')], 1e9), ended('done')],
    'done: 1 request (500 B), 1 tool call, 1.0k tokens in (80 % cached), 40 out, $0.001\n',
  ],
  [
    [...begun('x'), asked(500), answered([], null), ended('limit')],
    'limit: 1 request (500 B), 0 tool calls, 1.0k tokens in (80 % cached), 40 out, unpriced\n',
  ],
  [
    [...begun('x'), asked(500), ended('failed', { code: 'provider_auth', message: 'no' })],
    'failed (provider_auth: no): 1 request (500 B), 0 tool calls, none answered\n',
  ],
]);

const diff = '--- a.ts\n+++ a.ts\n@@ -1 +1 @@\n-one\n+two\n same\n';
const edited = [called('c1', 'edit', { path: 'a.ts' }), returned('c1', { diff })];

test('diffs are indented, and coloured only when colours are wanted', () => {
  expect(drawn(edited)).toBe(
    '✓ edit a.ts (0.02 s)\n    --- a.ts\n    +++ a.ts\n    @@ -1 +1 @@\n    -one\n    +two\n     same\n',
  );
  expect(drawn(edited, 'watch', true)).toBe(
    '✓ edit a.ts (0.02 s)\n\x1b[2m    --- a.ts\x1b[0m\n\x1b[2m    +++ a.ts\x1b[0m\n\x1b[36m    @@ -1 +1 @@\x1b[0m\n\x1b[31m    -one\x1b[0m\n\x1b[32m    +two\x1b[0m\n     same\n',
  );
});

test('a long diff is cut and says by how much', () => {
  const long = [called('c1', 'write', { path: 'a' }), returned('c1', { diff: '+x\n'.repeat(100) })];
  expect(drawn(long).split('\n').slice(-2)).toEqual(['    ... 40 more lines of this diff', '']);
});

test('whoever runs the turn is not told again what the command prints itself', () => {
  expect(drawn([answered([says('The answer.')])], 'run')).toBe('');
  expect(drawn([answered([says('Looking.'), calls('c1', 'read', {})])], 'run')).toBe('Looking.\n');
  expect(drawn(begun('the prompt'), 'run')).toBe('');
});

const fold = (events: readonly SessionEvent[]): Summary => events.reduce(addEvent, emptySummary);

test('a run comes to the sums of its events and the text of its newest answer', () => {
  const written = { path: 'a.ts', hash: 'h', how: 'written' } as const;
  const sum = fold([
    asked(100),
    answered([says('Looking.'), calls('c1', 'edit', {})], 1_000_000_000),
    called('c1', 'edit', { path: 'a.ts' }),
    returned('c1', {
      archiveId: 'a'.repeat(12) as ArchiveId,
      files: [written, { ...written, path: 'b.ts', how: 'read' }, written],
    }),
    asked(200),
    answered([says('Done.')], 2_000_000_000),
    ended('done'),
  ]);
  expect(sum).toEqual({
    ...emptySummary,
    text: 'Done.',
    outcome: 'done',
    requests: 2,
    answered: 2,
    requestBytes: 300,
    toolCalls: 1,
    usage: { uncached: 200, cacheRead: 1600, cacheWrite: 200, output: 80, reported: true },
    costPico: 3_000_000_000,
    filesChanged: ['a.ts'],
  });
  expect(costUsd(sum)).toBe(0.003);
});

test('a question that was denied stays, a granted one does not', () => {
  const answer = { kind: 'approval.answered', turnId, approvalId: wants('', '').approvalId } as const;
  expect(fold([wants('shell', 'ls'), { ...answer, decision: 'denied' }]).asks).toEqual([
    { approvalId: 'apr_1', tool: 'shell', asks: 'ls' },
  ]);
  expect(fold([wants('shell', 'ls'), { ...answer, decision: 'granted' }]).asks).toEqual([]);
});

test('the way on says --trust again when the trust was for one run', () => {
  const report = { sessionId, turnId, summary: fold([ended('interrupted')]), trustedOnce: true };
  expect(closingLines(report).at(-1)?.text).toBe(
    'What was done is kept. Go on: zerd run --session ses_1 --trust "go on"',
  );
});

check('dollars are null when they are not known (I11)', (events: readonly SessionEvent[]) => costUsd(fold(events)), [
  [[asked(1), answered([], null)], null],
  [[asked(1), answered([], 1e12), asked(1), answered([], null)], null],
  [[asked(1)], null],
  [[], 0],
  [[asked(1), answered([], 1e12)], 1],
]);

test('a cost line without a request says that nothing was spent', () => {
  expect(costLine(flowOf(emptySummary))).toBe('0 requests (0 B), 0 tool calls, $0');
});

test('the cost line says when an endpoint reports no tokens', () => {
  expect(costLine({ ...flowOf(fold([asked(1), answered([], null)])), reported: false })).toBe(
    '1 request (1 B), 0 tool calls, tokens not reported, unpriced',
  );
});

const close = (events: readonly SessionEvent[]) =>
  closingLines({ sessionId, turnId, summary: fold(events) }).map((line) => line.text);

const question = 'zerd: needs an answer, and nobody is here to give it. May this be done?';

check('a turn that did not simply succeed says why and what to do', close, [
  [[ended('done')], []],
  [
    [ended('failed', { code: 'provider_auth', message: 'The key was refused.' })],
    [
      'zerd: failed: The key was refused. (provider_auth)',
      'Check the key and its rights.',
      'What was done is kept. Go on: zerd run --session ses_1 "go on"',
    ],
  ],
  [
    [asked(1), asked(1), ended('limit')],
    ['zerd: stopped after 2 requests: a limit was reached', 'Go on: zerd run --session ses_1 --max-requests 4 "go on"'],
  ],
  [
    [asked(1), ended('limit', { code: 'limit_reached', message: 'The budget of the session of $1.00 is reached.' })],
    [
      'zerd: stopped after 1 request: The budget of the session of $1.00 is reached.',
      'Go on: zerd run --session ses_1 --max-cost USD "go on"',
    ],
  ],
  [
    [wants('shell', 'rm -rf build'), ended('needs-answer')],
    [question, '  rm -rf build', 'It was not done. Allow it: zerd run --session ses_1 --mode full "go on"'],
  ],
  [
    [wants('edit', 'a.ts'), ended('needs-answer')],
    [question, '  a.ts', 'It was not done. Allow it: zerd run --session ses_1 --mode edit "go on"'],
  ],
  [
    [ended('interrupted', { code: 'interrupted', message: 'interrupted by the user' })],
    ['zerd: interrupted by the user', 'What was done is kept. Go on: zerd run --session ses_1 "go on"'],
  ],
  [[ended('interrupted')], ['zerd: interrupted', 'What was done is kept. Go on: zerd run --session ses_1 "go on"']],
]);

test('the report has its fields in this order', () => {
  expect(Object.keys(reportJson({ sessionId, turnId, summary: emptySummary }))).toEqual([
    'sessionId',
    'turnId',
    'outcome',
    'text',
    'requests',
    'toolCalls',
    'requestBytes',
    'usage',
    'costUsd',
    'unpricedRequests',
    'filesChanged',
    'asks',
    'failure',
  ]);
});

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

test('an answer that broke off is paid as far as the provider reported it', () => {
  const usage = { uncached: 5, cacheRead: 100, cacheWrite: 0, output: 1, reported: true };
  const failed: SessionEvent = {
    kind: 'request.failed',
    requestId,
    turnId,
    failure: { code: 'provider_truncated', message: 'cut' },
    usage,
    costPico: 700,
  };
  expect(addEvent(emptySummary, failed)).toMatchObject({ usage, costPico: 700, unpricedRequests: 0, answered: 0 });
  expect(addEvent(emptySummary, { ...failed, costPico: null }).unpricedRequests).toBe(1);
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
});
