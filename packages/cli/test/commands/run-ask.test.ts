import { expect, test } from '@jest/globals';
import { begun, ended } from '../events.ts';
import { fakeDaemon, sessionId, settled, start } from '../fake-daemon.ts';
import { approval, question, row, sent } from './asked.ts';

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
  expect([await start(['run', '--ask', 'go'], daemon).code, sent(daemon)]).toEqual([2, []]);
  expect(daemon.connected).toEqual([]);
});
