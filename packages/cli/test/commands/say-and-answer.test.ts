import { expect, test } from '@jest/globals';
import { ZerdError } from '@zerd/protocol/common/errors';
import { fakeDaemon, sessionId, start, turnId } from '../fake-daemon.ts';
import { approval, question, row, sent } from './asked.ts';

function asking(more: object = {}) {
  const daemon = fakeDaemon();
  daemon.on('session/list', () => ({ sessions: [{ ...row, sessionId: 'ses_other', state: 'idle' }, row] }));
  daemon.on('session/read', ({ sessionId: at }: { sessionId: string }) => ({
    session: { ...row, sessionId: at },
    pendingApprovals: [approval],
    pendingQuestions: [question],
    events: [],
    ...more,
  }));
  daemon.on('approval/answer', () => ({}));
  daemon.on('question/answer', () => ({}));
  daemon.on('turn/steer', () => ({ promptId: 'prm_1', seq: 4 }));
  daemon.on('turn/queue', () => ({ promptId: 'prm_1', seq: 4 }));
  return daemon;
}

async function outcome(argv: readonly string[], daemon = asking()) {
  const { screen, code } = start(argv, daemon);
  return { code: await code, out: screen.out, err: screen.err, sent: sent(daemon), open: daemon.open() };
}
const quiet = { out: '', err: '', open: 0 };

test.each([
  [['yes'], { decision: 'granted' }],
  [['no'], { decision: 'denied' }],
  [['No,', 'use', 'make'], { decision: 'denied', reason: 'use make' }],
])('answer %j goes to the oldest approval of the session that waits', async (words, decision) => {
  expect(await outcome(['answer', ...words])).toEqual({
    ...quiet,
    code: 0,
    sent: [['approval/answer', { sessionId, approvalId: 'apr_1', digest: 'd1', ...decision }]],
  });
});

test('answer always goes with what may be allowed for good, which is shown, and with nothing else', async () => {
  const offered = () => asking({ pendingApprovals: [{ ...approval, always: ['npm test *'] }], pendingQuestions: [] });
  expect((await outcome(['answer'], offered())).out).toContain('always: npm test *\n');
  expect(await outcome(['answer', 'always'], offered())).toEqual({
    ...quiet,
    code: 0,
    sent: [['approval/answer', { sessionId, approvalId: 'apr_1', digest: 'd1', decision: 'granted', always: true }]],
  });
  expect(await outcome(['answer', 'always'])).toEqual({
    ...quiet,
    code: 2,
    err: 'zerd: This cannot be allowed for good: say yes or no. Nothing was sent.\n',
    sent: [],
  });
});

test.each([
  ['2', '8080'],
  ['#1', '80'],
  ['8080', '8080'],
  ['any of them', 'any of them'],
])('answer %j to a question says %j', async (words, answer) => {
  expect(await outcome(['answer', words, '--id', 'que_1'])).toEqual({
    ...quiet,
    code: 0,
    sent: [['question/answer', { sessionId, questionId: 'que_1', answer }]],
  });
});

test.each([
  ['3', '--id', 'que_1'],
  ['0.', '--id', 'que_1'],
])('answer %j of two options is a slip, and goes to nobody', async (...words) => {
  expect(await outcome(['answer', ...words])).toEqual({
    ...quiet,
    code: 2,
    err: `zerd: There is no option ${Number(words[0])}, only 1. 80, 2. 8080. Choose one, or answer in words. Nothing was sent.\n`,
    sent: [],
  });
});

test('a yes with a condition grants nothing', async () => {
  expect(await outcome(['answer', 'yes,', 'but', 'not', 'the', 'tests'])).toMatchObject({
    code: 2,
    err: 'zerd: A yes stands alone: say yes, or no and what to do instead. Nothing was sent.\n',
    sent: [],
  });
});

test('answer without a text shows what is asked, with all of it', async () => {
  expect(await outcome(['answer'])).toMatchObject({
    code: 0,
    out: '? May shell do this?  apr_1\n  shell: rm -r build\n? que_1\n  Which port?\n  1. 80\n  2. 8080\n',
    sent: [],
  });
});

test('a person at a terminal is told how each of them is answered', async () => {
  const person = { outputIsTerminal: true, env: { NO_COLOR: '1' } };
  const { screen, code } = start(['answer'], asking(), person);
  await code;
  expect(screen.out.split('\n').filter((line) => line.includes('zerd'))).toEqual([
    '  zerd answer --id apr_1 yes|no',
    '  zerd answer --id que_1 1',
  ]);
  const alone = start(['answer', '--session', sessionId], asking({ pendingApprovals: [] }), person);
  await alone.code;
  expect(alone.screen.out).toMatch(/\n {2}zerd answer --session ses_1 1\n$/);
});

test('what is neither yes nor no grants nothing, and what is no longer asked is said to be', async () => {
  expect(await outcome(['answer', 'maybe'])).toMatchObject({
    code: 2,
    err: 'zerd: Say yes or no; behind a no there may be a reason. Nothing was sent.\n',
    sent: [],
  });
  const late = asking();
  late.on('approval/answer', () => {
    throw new ZerdError('already_resolved', 'Approval apr_1 was answered before; the first answer holds.');
  });
  expect(await outcome(['answer', 'yes'], late)).toMatchObject({
    code: 1,
    err: expect.stringContaining('the first answer holds'),
  });
  const nothing = asking({ pendingApprovals: [], pendingQuestions: [] });
  expect(await outcome(['answer', 'yes'], nothing)).toMatchObject({ code: 1, sent: [] });
});

test('what is said goes to the running turn, or waits when it is meant for one of its own', async () => {
  const running = () => asking({ turnId });
  expect(await outcome(['say', 'leave', 'the tests', '--session', sessionId], running())).toMatchObject({
    code: 0,
    out: 'prm_1 goes to the running turn of ses_1.\n',
    sent: [['turn/steer', { sessionId, expectedTurnId: turnId, text: 'leave the tests' }]],
  });
  expect(await outcome(['say', '--queue', 'then the docs', '--session', sessionId], running())).toMatchObject({
    out: 'prm_1 waits for the turns before it in ses_1.\n',
    sent: [['turn/queue', { sessionId, text: 'then the docs' }]],
  });
});

test('what waits for a turn of its own takes the limits of zerd run along; to the running turn they are refused', async () => {
  const limits = ['--max-requests', '9', '--max-cost', '0.5', '--max-tokens', '20000'];
  const limited = ['say', '--queue', 'then the docs', ...limits, '--session', sessionId];
  expect(await outcome(limited, asking({ turnId }))).toMatchObject({
    code: 0,
    sent: [['turn/queue', { sessionId, text: 'then the docs', maxRequests: 9, maxCostUsd: 0.5, maxTokens: 20_000 }]],
  });
  expect(await outcome(['say', 'the docs', '--max-cost', '1'], asking({ turnId }))).toMatchObject({
    code: 2,
    err: expect.stringContaining('--max-cost holds for a turn of its own: it goes with --queue.'),
    sent: [],
  });
  expect(await outcome(['say', '--queue', 'x', '--max-cost', '-1'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('--max-cost takes dollars, as 0.50.'),
    sent: [],
  });
});

test('what is said when no turn runs begins one, or says why not', async () => {
  const idle = asking();
  idle.on('turn/queue', () => ({ promptId: 'prm_1', seq: 4, turnId: 'turn_9' }));
  expect(await outcome(['say', 'hello', '--session', sessionId], idle)).toMatchObject({
    out: 'prm_1 began turn_9 in ses_1.\n',
  });
  const paused = asking();
  paused.on('turn/queue', () => ({ promptId: 'prm_1', seq: 4, paused: true }));
  expect((await outcome(['say', 'hello', '--session', sessionId], paused)).out).toContain(
    '`zerd say --run-next` begins it',
  );
});

test('say shows what waits, takes it back, and lets it begin', async () => {
  const queue = [
    { promptId: 'prm_1', text: 'first\nline', queuedAt: 1, steers: turnId },
    { promptId: 'prm_2', text: 'second', queuedAt: 2 },
  ];
  const waiting = () => asking({ queue, queuePaused: true });
  expect((await outcome(['say', '--session', sessionId], waiting())).out).toBe(
    'prm_1 (to the running turn)  first\\nline\nprm_2  second\nPaused: `zerd say --run-next` goes on.\n',
  );
  expect(await outcome(['say', '--take-back', 'prm_2', '--session', sessionId], waiting())).toMatchObject({
    sent: [['turn/queue', { sessionId, promptId: 'prm_2', text: null }]],
  });
  expect(await outcome(['say', '--run-next', '--session', sessionId], waiting())).toMatchObject({
    sent: [['turn/queue', { sessionId, run: true }]],
  });
  expect((await outcome(['say', 'x', '--run-next'])).code).toBe(2);
});
