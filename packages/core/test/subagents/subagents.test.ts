import { expect, test } from '@jest/globals';
import { foldSession } from '@zerd/core/session/fold';
import { type HeldFile, handOver, namedPaths, wantedFiles } from '@zerd/core/subagents/handed-files';
import { childMode, narrower, refuseStart, usualLimits } from '@zerd/core/subagents/may-start';
import { resultsLeft } from '@zerd/core/subagents/results-left';
import { nextSilence, type SilentAt } from '@zerd/core/subagents/silence';
import { descendants, spentBy } from '@zerd/core/subagents/tree';
import { brokenOff, filesLine, headOf, lastAnswer, titleOf } from '@zerd/core/subagents/wording';
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { ArchiveId, RequestId, SessionId } from '@zerd/protocol/common/ids';
import type { SessionRow } from '@zerd/protocol/common/methods';
import { modeSchema } from '@zerd/protocol/common/mode';
import fc from 'fast-check';
import { assistant, call, created, finished, log, message, request, turn } from '../session/events.ts';

test('a sub-agent starts below the limits of number and depth alone', () => {
  const check = (depth: number, running: number) => refuseStart(usualLimits, depth, running)?.slice(0, 40);
  expect(check(0, 0)).toBeUndefined();
  expect(check(0, 7)).toBeUndefined();
  expect(check(0, 8)).toBe('Not started: 8 sub-agents run at once at');
  expect(check(1, 0)).toBe('Not started: this session is a sub-agent');
});

test('whatever is asked for, a sub-agent may do no more than its parent', () => {
  const mode = fc.constantFrom(...modeSchema.options);
  fc.assert(
    fc.property(mode, fc.boolean(), (parent, write) => {
      expect(narrower(childMode(parent, write), parent)).toBe(childMode(parent, write));
    }),
  );
});

test('only words of the model count as progress, and a pause between attempts is none of its own', () => {
  const check = (...happened: readonly (readonly [now: number, SessionEvent | 'delta'])[]) =>
    happened.reduce<SilentAt>(
      (at, [now, what]) => nextSilence(at, what, { now, wall: 1_000_000 + now, limitMs: 100 }),
      undefined,
    );
  const asked = request('req_1');
  const failed = (retryAt?: number): SessionEvent => ({
    kind: 'request.failed',
    requestId: 'req_1' as RequestId,
    turnId: turn.turnId,
    failure: { code: 'provider_timeout', message: 'x' },
    ...(retryAt === undefined ? {} : { retryAt }),
  });
  expect(check([0, asked])).toBe(100);
  expect(check([0, asked], [60, failed(1_000_080)], [80, asked])).toBe(120);
  expect(check([0, asked], [60, 'delta'])).toBe(160);
  expect(check([0, asked], [60, 'delta'], [90, assistant('req_1')])).toBeUndefined();
  expect(check([0, asked], [60, failed()])).toBeUndefined();
  expect(check([50, 'delta'])).toBeUndefined();
});

test('a task names files by their path, or by a name that only one of them has', () => {
  const known = ['src/a.ts', 'lib/a.ts', 'src/main.ts', 'Makefile'];
  const check = (text: string) => namedPaths(text, known);
  expect(check('Compare src/a.ts with main.ts.')).toEqual(['src/a.ts', 'src/main.ts']);
  expect(check('Look at ./lib/a.ts:12, and at `Makefile`!')).toEqual(['lib/a.ts', 'Makefile']);
  expect(check('Is a.ts, or xsrc/main.tsx, right?')).toEqual([]);
});

const seen = (path: string, callId: string) =>
  finished(callId, {
    files: [{ path, hash: 'h', how: 'read' }],
    reads: [{ path, hash: 'h', lines: 2, firstLine: 1, lastLine: 2 }],
  });

const reader = foldSession(
  log(
    created,
    turn,
    message('Go'),
    request('req_1'),
    assistant('req_1', call('c1'), call('c2'), call('c3')),
    seen('a.ts', 'c1'),
    seen('b.ts', 'c2'),
    seen('c.ts', 'c3'),
  ),
);

test('what several tasks name comes first and in the same order for all of them', () => {
  const tasks = ['Check b.ts against a.ts.', 'Check a.ts and c.ts and b.ts.', 'Count words.'];
  const check = (prompt: string) =>
    wantedFiles(prompt, tasks, reader).map(({ path, shared }) => `${path}${shared ? ' shared' : ''}`);
  expect(tasks.map(check)).toEqual([['a.ts shared', 'b.ts shared'], ['a.ts shared', 'b.ts shared', 'c.ts'], []]);
});

test('files are handed over whole or not at all, within a cap, and what is shared in a block of its own', () => {
  const file = (path: string, shared: boolean, lines: readonly string[], ranges = [[1, lines.length]]): HeldFile => ({
    path,
    shared,
    hash: `hash of ${path}`,
    lines,
    ranges: ranges.map(([firstLine = 0, lastLine = 0]) => ({ firstLine, lastLine })),
  });
  const own = [
    [1, 2],
    [2, 3],
  ];
  const handed = handOver([
    file('a.ts', true, ['one', 'two']),
    file('long.ts', true, ['x'.repeat(20_000)]),
    file('b.ts', false, ['1', '2', '3', '4'], own),
  ]);
  expect(handed).toEqual({
    texts: [
      'Files as they are now; they need not be read again:\n==> a.ts <==\none\ntwo',
      'Files as they are now; they need not be read again:\n==> b.ts, lines 1-3 of 4 <==\n1\n2\n3',
    ],
    reads: [
      { path: 'a.ts', hash: 'hash of a.ts', lines: 2, firstLine: 1, lastLine: 2, by: ['(handed files)'] },
      { path: 'b.ts', hash: 'hash of b.ts', lines: 4, firstLine: 1, lastLine: 3, by: ['(handed files)'] },
    ],
  });
  expect(handOver([file('long.ts', false, ['x'.repeat(20_000)])])).toBeUndefined();
  const many = Array.from({ length: 9 }, (_, i) => file(`f${i}.ts`, false, ['x'.repeat(10_000)]));
  expect(handOver(many)?.reads).toHaveLength(4);
});

test('a title is one plain line', () => {
  expect(titleOf(undefined, '\n Look at\u0007 it.\nThen stop.')).toBe('Look at it.');
  expect(titleOf('  ', 'x')).toBe('x');
  expect(titleOf('y'.repeat(200), 'x')).toBe(`${'y'.repeat(77)}...`);
});

test('what came of it names the session, what it cost and what it looked at', () => {
  const id = 'ses_2' as SessionId;
  const check = (requests: number, unpricedRequests: number) =>
    headOf('look', id, { requests, costPico: 1_230_000_000, unpricedRequests });
  expect(check(1, 0)).toBe('sub-agent "look", ses_2: 1 request, $0.0012');
  expect(check(2, 1)).toBe('sub-agent "look", ses_2: 2 requests, unpriced');
  expect(filesLine(reader)).toBe('[it read a.ts, b.ts, c.ts]');
  expect(lastAnswer(reader)).toBe('');
  expect(brokenOff('failed', 'No.', '')).toBe('The sub-agent did not come to its end: No. It had said nothing yet.');
  expect(brokenOff('needs-answer', 'shell: ls', 'So far.')).toBe(
    'The sub-agent stopped, because nobody could be asked: shell: ls. What it had said last:\nSo far.',
  );
});

test('P072: of one that was broken off the newest results are named, each with its archive id and its call', () => {
  const check = (results: number) => {
    const ids = Array.from({ length: results }, (_, n) => `c${n}`);
    const archived = ids.map((id, n) => finished(id, { shown: 'one\ntwo', archiveId: `${n}`.repeat(64) as ArchiveId }));
    const left = resultsLeft(
      foldSession(log(created, turn, request('req_1'), assistant('req_1', ...ids.map((id) => call(id))), ...archived)),
    );
    return left.split('\n');
  };
  expect(check(0)).toEqual(['']);
  expect(check(1)).toEqual(['Its results, to recall by id:', '- read a.ts: 2 lines, 000000000000']);
  expect(check(9)).toHaveLength(9);
  expect([check(9)[0], check(9).at(-1)]).toEqual([
    'Its results, to recall by id, the newest of 9:',
    '- read a.ts: 2 lines, 888888888888',
  ]);
});

test('P094: what the sub-agents of a session spent is counted, whichever the model, and those of others are not', () => {
  const row = (sessionId: string, parentId: string | undefined, costPico: number, model = 'sim/sim') =>
    ({ sessionId, model, requests: 1, costPico, unpricedRequests: 0, ...(parentId && { parentId }) }) as SessionRow;
  const rows = [
    row('ses_4', 'ses_3', 1_000, 'other/big'),
    row('ses_3', 'ses_1', 100),
    row('ses_2', 'ses_9', 10),
    row('ses_1', undefined, 1),
  ];
  expect(descendants(rows, 'ses_1' as SessionId).map(({ sessionId }) => sessionId)).toEqual(['ses_4', 'ses_3']);
  expect(spentBy(rows, 'ses_1' as SessionId)).toEqual({ requests: 3, costPico: 1_101, unpricedRequests: 0 });
});
