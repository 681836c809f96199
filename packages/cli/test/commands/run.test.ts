import { expect, test } from '@jest/globals';
import { ZerdError } from '@zerd/protocol/common/errors';
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { TurnId } from '@zerd/protocol/common/ids';
import { answered, asked, begun, called, calls, created, ended, returned, says, wants } from '../events.ts';
import { fakeDaemon, sessionId, settled, start, turnId } from '../fake-daemon.ts';
import { daemonWith, prompt, run, work } from './run-scene.ts';

test('a turn that is done prints the answer alone', async () => {
  const daemon = daemonWith(...work, ended('done'));
  expect(await run(daemon)).toEqual({ code: 0, out: 'All done.\n', err: '' });
  expect(daemon.open()).toBe(0);
});

const endings: readonly (readonly [code: number, events: readonly SessionEvent[], err: RegExp])[] = [
  [0, [ended('done')], /^$/],
  [
    1,
    [ended('failed', { code: 'provider_auth', message: 'Refused.' })],
    /^zerd: failed: Refused\. \(provider_auth\)\n/,
  ],
  [3, [...work, ended('limit')], /^zerd: stopped after 1 request/],
  [4, [wants('shell', 'rm -rf build'), ended('needs-answer')], /May this be done\?\n {2}rm -rf build\n.*--mode full/],
  [130, [ended('interrupted')], /^zerd: interrupted\n/],
];

for (const [code, events, err] of endings)
  test(`a turn that ends as ${events.at(-1)?.kind === 'turn.finished' ? (events.at(-1) as { outcome: string }).outcome : ''} exits with ${code}`, async () => {
    expect(await run(daemonWith(...events))).toMatchObject({ code, err: expect.stringMatching(err) });
  });

test('a repository that is not trusted exits with 4, says how to trust it, and starts no turn', async () => {
  const daemon = fakeDaemon();
  daemon.on('session/create', () => {
    throw new ZerdError('untrusted', '/repo is not trusted.');
  });
  expect(await run(daemon)).toEqual({
    code: 4,
    out: '',
    err: 'zerd: /repo is not trusted.\nRun `zerd trust`, or pass --trust for one run.\n',
  });
  expect(daemon.requests.map(({ method }) => method)).toEqual(['session/create']);
  expect(daemon.open()).toBe(0);
});

test('the wishes of the command line reach the daemon', async () => {
  const daemon = daemonWith(ended('done'));
  await run(daemon, ['--model', 'a/b', '--mode', 'full', '--trust', '--max-requests', '7', '--no-daemon', prompt]);
  expect(daemon.connected).toEqual(['private']);
  expect(daemon.requests).toEqual([
    { method: 'session/create', params: { model: 'a/b', mode: 'full', trust: true } },
    { method: 'session/subscribe', params: { sessionId, after: 0 } },
    {
      method: 'turn/start',
      params: { sessionId, text: prompt, headless: true, maxRequests: 7, model: 'a/b', trust: true },
    },
  ]);
});

for (const argv of [['--continue'], ['--session', 'ses_1']])
  test(`${argv[0]} goes on after the last event and prints only what is new`, async () => {
    const daemon = daemonWith(...work, ended('done', undefined, 'turn_2' as TurnId));
    daemon.append(created, ...begun('before', 'turn_0' as TurnId), ended('done', undefined, 'turn_0' as TurnId));
    daemon.on('turn/start', () => {
      daemon.append(...begun(prompt), ...work, ended('done'));
      return { turnId, seq: 6 };
    });
    const { code, out } = await run(daemon, [...argv, '--mode', 'edit', '--stream-json', prompt]);
    expect({
      code,
      seqs: out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).seq),
    }).toEqual({ code: 0, seqs: [5, 6, 7, 8, 9] });
    expect(daemon.requests).toContainEqual({ method: 'session/setMode', params: { sessionId, mode: 'edit' } });
  });

test('--continue without a session says so', async () => {
  expect(await run(fakeDaemon(), ['--continue', prompt])).toMatchObject({
    code: 1,
    err: expect.stringContaining('no session to continue'),
  });
});

const prompts: readonly (readonly [
  name: string,
  argv: string[],
  input: string | undefined,
  text: string | undefined,
])[] = [
  ['words are joined', ['make', 'it', 'so'], undefined, 'make it so'],
  ['standard input is the prompt when there are no words', [], 'from a pipe\n', 'from a pipe'],
  ['a dash stands for standard input', ['-'], 'two\nlines\n', 'two\nlines'],
  ['words come before standard input', ['review', '-'], 'a diff\n', 'review\n\na diff'],
  ['standard input is left alone when there are words', ['hi'], 'not read', 'hi'],
  ['an empty prompt starts nothing', ['   '], undefined, undefined],
  ['an empty standard input starts nothing', [], ' \n', undefined],
  ['a terminal is not read', [], undefined, undefined],
];

for (const [name, argv, input, text] of prompts)
  test(name, async () => {
    const daemon = daemonWith(ended('done'));
    const { code, err } = await run(daemon, argv, input === undefined ? {} : { input });
    const started = daemon.requests.find(({ method }) => method === 'turn/start')?.params;
    expect({ code, text: (started as { text?: string } | undefined)?.text }).toEqual({
      code: text === undefined ? 2 : 0,
      text,
    });
    if (text === undefined)
      expect({ err, connected: daemon.connected }).toEqual({
        err: expect.stringContaining('The prompt is empty'),
        connected: [],
      });
  });

test('--json prints one object at the end', async () => {
  const daemon = daemonWith(...work, ended('done'));
  const { out } = await run(daemon, ['--json', prompt]);
  expect(JSON.parse(out)).toEqual({
    sessionId,
    turnId,
    outcome: 'done',
    text: 'All done.',
    requests: 1,
    toolCalls: 0,
    requestBytes: 500,
    usage: { uncached: 100, cacheRead: 800, cacheWrite: 100, output: 40, reported: true },
    costUsd: 0.001,
    unpricedRequests: 0,
    filesChanged: [],
    asks: [],
    failure: null,
  });
});

test('--json prints an object also when no turn came about', async () => {
  const daemon = fakeDaemon();
  daemon.on('turn/start', () => {
    throw new ZerdError('turn_running', 'A turn is running.');
  });
  const { code, out, err } = await run(daemon, ['--json', prompt]);
  expect({ code, ...JSON.parse(out) }).toMatchObject({
    code: 1,
    sessionId,
    turnId: null,
    outcome: 'failed',
    failure: { code: 'turn_running', message: 'A turn is running.' },
  });
  expect(err).toContain('zerd: A turn is running.');
});

test('--stream-json prints the same lines as watch --json of the same session', async () => {
  const daemon = daemonWith(...work, ended('done'));
  const { out } = await run(daemon, ['--stream-json', prompt], { progressIsTerminal: true });
  const watching = start(['watch', 'ses_1', '--json', '--until-idle'], daemon);
  expect(await watching.code).toBe(0);
  expect(out).toBe(watching.screen.out);
  expect(out.split('\n')).toHaveLength(7);
});

test('progress goes to standard error when that is a terminal', async () => {
  const daemon = daemonWith(
    asked(500),
    answered([says('Looking.'), calls('c1', 'read', { path: 'a.ts' })]),
    called('c1', 'read', { path: 'a.ts' }),
    returned('c1'),
    ...work,
    ended('done'),
  );
  const { out, err } = await run(daemon, [prompt], { progressIsTerminal: true, env: { NO_COLOR: '1' } });
  expect(out).toBe('All done.\n');
  expect(err).toBe(
    'session with sim/sim, mode ask, in /repo\nrequest 1 to sim/sim, 500 B\nLooking.\n✓ read a.ts (0.02 s)\nrequest 2 to sim/sim, 500 B\ndone: 2 requests (1.0 kB), 1 tool call, 2.0k tokens in (80 % cached), 80 out, $0.002\n',
  );
});

test('that a limit in money cannot hold is said where nobody watches too, and once', async () => {
  const text = 'sim/sim has no price, and the budget of the session cannot hold for it.';
  const daemon = () => daemonWith({ kind: 'budget.warned', turnId, model: 'sim/sim', text }, ...work, ended('done'));
  expect((await run(daemon())).err).toBe(`zerd: ${text}\n`);
  expect((await run(daemon(), ['--json', prompt])).err).toBe(`zerd: ${text}\n`);
  expect((await run(daemon(), ['--stream-json', prompt])).err).toBe('');
  const watched = await run(daemon(), [prompt], { progressIsTerminal: true, env: { NO_COLOR: '1' } });
  expect(watched.err.split(text)).toHaveLength(2);
});

test('an answer cannot steer the terminal (S-60)', async () => {
  const daemon = daemonWith(asked(1), answered([says('a\x1b]0;title\x07b\x9b2J\nc')]), ended('done'));
  expect((await run(daemon)).out).toBe('a\\x1b]0;title\\x07b\\x9b2J\nc\n');
});

test('what comes after the end of the turn is not part of the run', async () => {
  const daemon = daemonWith(...work, ended('done'), ...begun('more', 'turn_2' as TurnId));
  const { out } = await run(daemon, ['--stream-json', prompt]);
  expect(JSON.parse(out.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({
    seq: 6,
    event: { kind: 'turn.finished' },
  });
});

test("another client's turn in the same session does not end the run, and all of both is shown", async () => {
  const daemon = daemonWith(ended('done', undefined, 'turn_0' as TurnId), asked(500));
  const running = start(['run', '--stream-json', prompt], daemon);
  await settled();
  daemon.append(ended('limit'));
  expect(await running.code).toBe(3);
  expect(running.screen.out.trim().split('\n')).toHaveLength(6);
});

test('a deleted working folder is said and starts nothing', async () => {
  const connect = async () => {
    throw new ZerdError('folder_missing', 'The working folder was deleted. Nothing was started.');
  };
  const { screen, code } = start(['run', prompt], { connect });
  expect({ code: await code, err: screen.err }).toEqual({
    code: 1,
    err: 'zerd: The working folder was deleted. Nothing was started.\nRestore it or start in another folder.\n',
  });
});
