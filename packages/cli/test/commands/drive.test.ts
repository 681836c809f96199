import { expect, test } from '@jest/globals';
import { ZerdError } from '@zerd/protocol/common/errors';
import type { ApprovalId } from '@zerd/protocol/common/ids';
import { answered, begun, created, ended, says, wants } from '../events.ts';
import { type FakeDaemon, fakeDaemon, sessionId, settled, start, turnId } from '../fake-daemon.ts';

/** A daemon that says of its session what the test says. */
function daemonIn(): FakeDaemon & { state: string; queue: unknown[]; queuePaused: boolean; seen: number } {
  const daemon = Object.assign(fakeDaemon(), { state: 'idle', queue: [] as unknown[], queuePaused: false, seen: 0 });
  daemon.on('session/create', () => {
    daemon.append(created);
    return { sessionId, model: 'sim/sim', mode: 'ask', seq: 1 };
  });
  daemon.on('session/read', () => ({
    session: { sessionId, lastSeq: daemon.seen, state: daemon.state },
    ...(daemon.state === 'idle' ? {} : { turnId }),
    pendingApprovals:
      daemon.state === 'waiting'
        ? [{ approvalId: 'apr_1' as ApprovalId, turnId, tool: 'shell', asks: 'shell ls', digest: 'd1' }]
        : [],
    queue: daemon.queue,
    queuePaused: daemon.queuePaused,
    events: [],
  }));
  const append = daemon.append.bind(daemon);
  daemon.append = (...events) => {
    daemon.seen += events.length;
    append(...events);
  };
  return daemon;
}

/** A standard input to which a test writes. */
function pipe() {
  const lines: string[] = [];
  let over = false;
  let wake = () => {};
  return {
    write: (wish: unknown) => {
      lines.push(typeof wish === 'string' ? wish : JSON.stringify(wish));
      wake();
    },
    end: () => {
      over = true;
      wake();
    },
    async readLine(gone: AbortSignal): Promise<string | undefined> {
      for (;;) {
        if (gone.aborted) return undefined;
        const line = lines.shift();
        if (line !== undefined || over) return line;
        await new Promise<void>((resolve) => {
          wake = resolve;
          gone.addEventListener('abort', () => resolve());
        });
      }
    },
  };
}

const kinds = (out: string) =>
  out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .map(({ event, error, channel }) => event?.kind ?? error?.code ?? channel);

const methods = (daemon: FakeDaemon) =>
  daemon.requests.map(({ method }) => method).filter((method) => !/^session\/(?:read|subscribe|create)$/.test(method));

test('what is said begins a turn, every event is a line, and the status is that of the last turn', async () => {
  const daemon = daemonIn();
  daemon.on('turn/start', ({ text }: { text: string }) => {
    daemon.append(...begun(text), answered([says('Yes.')]), ended('limit'));
    return { turnId, seq: 3 };
  });
  const input = pipe();
  const { screen, code } = start(['drive', '--max-requests', '3'], daemon, input);
  input.write({ say: 'there?' });
  input.end();
  expect(await code).toBe(3);
  expect(kinds(screen.out)).toEqual([
    'session.created',
    'turn.started',
    'message.submitted',
    'assistant.finished',
    'turn.finished',
  ]);
  expect(daemon.requests.find(({ method }) => method === 'turn/start')?.params).toEqual({
    sessionId,
    text: 'there?',
    maxRequests: 3,
  });
  expect(daemon.open()).toBe(0);
});

test('while a turn runs, what is said waits, what steers goes to it, and the end of the input ends nothing', async () => {
  const daemon = daemonIn();
  daemon.state = 'running';
  daemon.on('turn/start', () => {
    throw new ZerdError('turn_running', 'A turn runs.');
  });
  daemon.on('turn/queue', () => ({ promptId: 'prm_1', seq: 2 }));
  daemon.on('turn/steer', () => ({ promptId: 'prm_2', seq: 3 }));
  const input = pipe();
  const { code } = start(['drive'], daemon, input);
  input.write({ say: 'then' });
  input.write({ steer: 'now' });
  input.end();
  let over = false;
  void code.then(() => {
    over = true;
  });
  await settled();
  expect(over).toBe(false);
  expect(methods(daemon)).toEqual(['turn/start', 'turn/queue', 'turn/steer']);
  daemon.state = 'idle';
  daemon.append(ended('done'));
  expect(await code).toBe(0);
});

test('an approval is answered with the digest that it has; what is still asked at the end of the input ends it with 4', async () => {
  const daemon = daemonIn();
  daemon.state = 'waiting';
  daemon.on('approval/answer', () => ({}));
  const input = pipe();
  const { screen, code } = start(['drive', '--session', sessionId], daemon, input);
  daemon.append(wants('shell', 'shell ls'));
  input.write({ answer: { approvalId: 'apr_1', decision: 'denied', reason: 'no' } });
  input.write({ answer: { approvalId: 'apr_2', decision: 'granted' } });
  input.end();
  expect(await code).toBe(4);
  expect(daemon.requests.filter(({ method }) => method === 'approval/answer')).toEqual([
    {
      method: 'approval/answer',
      params: { sessionId, approvalId: 'apr_1', digest: 'd1', decision: 'denied', reason: 'no' },
    },
  ]);
  expect(kinds(screen.out)).toContain('already_resolved');
  expect(screen.err).toBe(
    `${sessionId} asks for an answer, and the input has ended. It waits: see zerd answer --session ${sessionId}\n`,
  );
});

test('a line that is not understood is answered with its number and ends nothing', async () => {
  const daemon = daemonIn();
  const input = pipe();
  const { screen, code } = start(['drive'], daemon, input);
  input.write('');
  input.write('nonsense');
  input.write({ interrupt: true });
  input.end();
  expect(await code).toBe(2);
  expect(JSON.parse(screen.out.trim().split('\n').at(-1) ?? '')).toEqual({
    error: {
      code: 'invalid_params',
      message: 'A line is a JSON object with one of: say, steer, queue, answer, interrupt.',
      todo: 'See `zerd drive --help`.',
    },
    line: 2,
  });
  expect(methods(daemon)).toEqual(['turn/interrupt', 'session/delete']);
});

test.each([
  ['a new one is removed again', [], ['session/delete'], `Nothing was said: ${sessionId} was removed.\n`],
  ['one that was there stays', ['--session', sessionId], [], ''],
])('where nothing is said in a session, %s', async (_, named, asked, err) => {
  const daemon = daemonIn();
  const input = pipe();
  const { screen, code } = start(['drive', ...named], daemon, input);
  input.end();
  expect(await code).toBe(0);
  expect([methods(daemon), screen.err]).toEqual([asked, err]);
});

test('a new session in which something happened stays, also when its input was refused', async () => {
  const daemon = daemonIn();
  const input = pipe();
  const { code } = start(['drive'], daemon, input);
  await settled();
  daemon.append(ended('done'));
  input.write('nonsense');
  input.end();
  expect([await code, methods(daemon)]).toEqual([2, []]);
});

test('prompts that wait behind a turn that failed are told of, and its status is kept', async () => {
  const daemon = daemonIn();
  const input = pipe();
  const { screen, code } = start(['drive'], daemon, input);
  await settled();
  daemon.queue = [{ promptId: 'prm_1', text: 'then', queuedAt: 1 }];
  daemon.queuePaused = true;
  daemon.append(ended('failed', { code: 'provider_auth', message: 'Refused.' }));
  input.end();
  expect(await code).toBe(1);
  expect(screen.err).toContain('--run-next goes on');
});

test('Ctrl-C interrupts the turn and reads no further; again leaves at once', async () => {
  const daemon = daemonIn();
  daemon.state = 'running';
  const input = pipe();
  const { screen, code } = start(['drive'], daemon, input);
  await settled();
  screen.interrupt();
  await settled();
  expect(methods(daemon)).toEqual(['turn/interrupt']);
  screen.interrupt();
  expect(screen.exits).toEqual([130]);
  daemon.state = 'idle';
  daemon.append(ended('interrupted'));
  expect(await code).toBe(130);
});

test('deltas are asked for and told as lines of their own', async () => {
  const daemon = daemonIn();
  const input = pipe();
  const { screen, code } = start(['drive', '--deltas'], daemon, input);
  await settled();
  daemon.send('session/delta', { sessionId, turnId, requestId: 'req_1', channel: 'text', text: 'Ye' });
  input.end();
  expect(await code).toBe(0);
  expect(kinds(screen.out)).toEqual(['session.created', 'text']);
  expect(daemon.requests.find(({ method }) => method === 'session/subscribe')?.params).toMatchObject({ deltas: true });
});

test('what a sub-agent asks is told as a line of its own, and is answered there', async () => {
  const daemon = daemonIn();
  daemon.state = 'waiting';
  const asks = {
    approvalId: 'apr_2' as ApprovalId,
    turnId,
    tool: 'shell',
    asks: 'shell ls',
    digest: 'd2',
    sessionId: 'ses_2',
  };
  daemon.on('session/read', () => ({
    session: { sessionId, lastSeq: daemon.seen, state: daemon.state },
    pendingApprovals: daemon.state === 'waiting' ? [asks] : [],
    events: [],
  }));
  daemon.on('approval/answer', () => {
    daemon.state = 'idle';
    return {};
  });
  const input = pipe();
  const { screen, code } = start(['drive'], daemon, input);
  await settled();
  daemon.send('session/pending', { sessionId, pendingApprovals: [asks], pendingQuestions: [] });
  expect(JSON.parse(screen.out.trim().split('\n').at(-1) ?? '')).toEqual({
    sessionId,
    pendingApprovals: [asks],
    pendingQuestions: [],
  });
  input.write({ answer: { approvalId: 'apr_2', decision: 'granted' } });
  input.end();
  expect(await code).toBe(0);
  expect(daemon.requests.find(({ method }) => method === 'approval/answer')?.params).toEqual({
    sessionId: 'ses_2',
    approvalId: 'apr_2',
    digest: 'd2',
    decision: 'granted',
  });
});

test('a call is followed: its answer first, then the notices of its session, until nothing of it runs', async () => {
  const daemon = daemonIn();
  daemon.on('turn/start', ({ text }: { text: string }) => {
    daemon.append(...begun(text), ended('done'));
    return { turnId, seq: 2 };
  });
  daemon.append(created);
  const params = JSON.stringify({ sessionId, text: 'go' });
  const { screen, code } = start(['rpc', 'turn/start', params, '--follow', '--until-idle'], daemon);
  expect(await code).toBe(0);
  const [answer, ...notices] = screen.out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(answer).toEqual({ turnId, seq: 2 });
  expect(notices.map(({ method, params: told }) => [method, told.event.kind])).toEqual([
    ['session/event', 'turn.started'],
    ['session/event', 'message.submitted'],
    ['session/event', 'turn.finished'],
  ]);
  expect(daemon.open()).toBe(0);
});

test('a call that names no session cannot be followed, and its options go with --follow alone', async () => {
  const { screen, code } = start(['rpc', 'daemon/status', '{}', '--follow'], daemonIn());
  expect(await code).toBe(2);
  expect(screen.err).toContain('names no session');
  const refused = start(['rpc', 'daemon/status', '--until-idle'], daemonIn());
  expect(await refused.code).toBe(2);
  expect(refused.screen.err).toContain('--until-idle goes with --follow.');
});
