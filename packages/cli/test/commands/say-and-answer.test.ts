import { expect, test } from '@jest/globals';
import { ZerdError } from '@zerd/protocol/common/errors';
import type { ApprovalId, QuestionId } from '@zerd/protocol/common/ids';
import { begun, ended } from '../events.ts';
import { fakeDaemon, sessionId, settled, start, turnId } from '../fake-daemon.ts';

const row = { sessionId, lastSeq: 3, state: 'waiting' };
const approval = { approvalId: 'apr_1' as ApprovalId, turnId, tool: 'shell', asks: 'shell: rm -r build', digest: 'd1' };
const question = {
  questionId: 'que_1' as QuestionId,
  turnId,
  text: 'Which port?',
  options: ['80', '8080'],
  askedAt: 1,
};

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
const sent = (daemon: ReturnType<typeof asking>) =>
  daemon.requests
    .filter(({ method }) => /answer|steer|queue/.test(method))
    .map(({ method, params }) => [method, params]);

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

/** A person at a terminal, who types these lines. */
function person(lines: readonly string[]) {
  const typed = [...lines];
  const readLine = (gone: AbortSignal): Promise<string | undefined> => {
    const line = typed.shift();
    if (line !== undefined) return Promise.resolve(line);
    return new Promise((resolve) => gone.addEventListener('abort', () => resolve(undefined), { once: true }));
  };
  return { inputIsTerminal: true, progressIsTerminal: true, env: { NO_COLOR: '1' }, readLine };
}
/** Each look at it is a second later. */
function passing() {
  let now = 0;
  const clock = { wall: () => now, now: () => (now += 1_000), setTimer: () => ({ [Symbol.dispose]() {} }) };
  const sleep = () => new Promise<void>((resolve) => setImmediate(resolve));
  return { ...clock, sleep };
}

test('run --ask asks in the terminal, and goes on by the answer', async () => {
  const daemon = fakeDaemon();
  let open = [approval] as object[];
  daemon.on('session/read', () => ({ session: row, pendingApprovals: open, pendingQuestions: [], events: [] }));
  daemon.on('approval/answer', () => {
    open = [];
    daemon.append(ended('done'));
    return {};
  });
  const running = start(['run', '--ask', 'go'], daemon, { ...person(['what?', 'yes']), clock: passing() });
  await settled();
  daemon.append(...begun('go'));
  expect(await running.code).toBe(0);
  expect(daemon.requests.find(({ method }) => method === 'turn/start')?.params).toEqual({ sessionId, text: 'go' });
  expect(sent(daemon)).toEqual([
    ['approval/answer', { sessionId, approvalId: 'apr_1', digest: 'd1', decision: 'granted' }],
  ]);
  expect(running.screen.err).toContain(
    '? May shell do this?  apr_1\n  shell: rm -r build\nyes, or no and why > Say yes or no',
  );
});

test('run --ask asks once more for a number that is no option', async () => {
  const daemon = fakeDaemon();
  let open = [question] as object[];
  daemon.on('session/read', () => ({ session: row, pendingApprovals: [], pendingQuestions: open, events: [] }));
  daemon.on('question/answer', () => {
    open = [];
    daemon.append(ended('done'));
    return {};
  });
  const running = start(['run', '--ask', 'go'], daemon, { ...person(['3', '2']), clock: passing() });
  await settled();
  daemon.append(...begun('go'));
  expect(await running.code).toBe(0);
  expect(sent(daemon)).toEqual([['question/answer', { sessionId, questionId: 'que_1', answer: '8080' }]]);
  expect(running.screen.err).toContain(
    '> There is no option 3, only 1. 80, 2. 8080. Choose one, or answer in words.\n1-2, or your own words > ',
  );
});

test('run --ask asks no more for what somebody else has answered', async () => {
  const daemon = fakeDaemon();
  let open = [question] as object[];
  daemon.on('session/read', () => ({ session: row, pendingApprovals: [], pendingQuestions: open, events: [] }));
  const running = start(['run', '--ask', 'go'], daemon, { ...person([]), clock: passing() });
  await settled();
  daemon.append(...begun('go'));
  await settled();
  expect(running.screen.err).toContain('  1. 80\n  2. 8080\n1-2, or your own words > ');
  const looks = () => daemon.requests.filter(({ method }) => method === 'session/read').length;
  const before = looks();
  await settled();
  expect(looks()).toBe(before);
  open = [];
  daemon.append({ kind: 'question.answered', questionId: question.questionId, answer: '80' } as never);
  await settled();
  daemon.append(ended('done'));
  expect(await running.code).toBe(0);
  expect(running.screen.err).toContain('(answered elsewhere)');
});

test('run --ask asks what a sub-agent asks as soon as the daemon tells of it, and looks only then', async () => {
  const daemon = fakeDaemon();
  const child = 'ses_child';
  let open: object[] = [];
  daemon.on('session/read', () => ({ session: row, pendingApprovals: open, pendingQuestions: [], events: [] }));
  daemon.on('approval/answer', () => {
    open = [];
    daemon.append(ended('done'));
    return {};
  });
  const running = start(['run', '--ask', 'go'], daemon, { ...person(['yes']), clock: passing() });
  await settled();
  daemon.append(...begun('go'));
  await settled();
  expect(running.screen.err).not.toContain('apr_1');
  open = [{ ...approval, sessionId: child }];
  daemon.send('session/pending', { sessionId, pendingApprovals: open, pendingQuestions: [] });
  expect(await running.code).toBe(0);
  expect(sent(daemon)).toEqual([
    ['approval/answer', { sessionId: child, approvalId: 'apr_1', digest: 'd1', decision: 'granted' }],
  ]);
  expect(daemon.requests.filter(({ method }) => method === 'session/read').length).toBeLessThanOrEqual(6);
});

test('run --ask takes a lost connection for no answer', async () => {
  const daemon = fakeDaemon();
  const open = [question];
  daemon.on('session/read', () => ({ session: row, pendingApprovals: [], pendingQuestions: open, events: [] }));
  const running = start(['run', '--ask', 'go'], daemon, { ...person([]), clock: passing() });
  await settled();
  daemon.append(...begun('go'));
  await settled();
  daemon.drop();
  await settled();
  daemon.append(ended('done'));
  expect(await running.code).toBe(0);
  expect(running.screen.err).not.toContain('answered elsewhere');
});

test('run --ask needs somebody to ask', async () => {
  const daemon = fakeDaemon();
  expect(await outcome(['run', '--ask', 'go'], daemon as never)).toMatchObject({ code: 2, sent: [] });
  expect(daemon.connected).toEqual([]);
});
