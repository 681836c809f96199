import { expect, test } from '@jest/globals';
import { ZerdError } from '@zerd/protocol/common/errors';
import { methods, type SessionRow, type Totals } from '@zerd/protocol/common/methods';
import { fromWire, toWire } from '@zerd/protocol/node/wire-errors';
import { manualClock } from '../../../../test/support/manual-clock.ts';
import { costTable } from '../../src/commands/cost.ts';
import { sessionTable } from '../../src/commands/sessions.ts';
import { shortIds } from '../../src/present/short-ids.ts';
import { fakeDaemon, sessionId, settled, start } from '../fake-daemon.ts';

async function outcome({ screen, code }: ReturnType<typeof start>) {
  return { code: await code, out: screen.out, err: screen.err };
}

test('rpc prints the result as one line of JSON and closes its connection', async () => {
  const daemon = fakeDaemon();
  daemon.on('session/read', () => ({ title: 'a\x9b b' }));
  expect(await outcome(start(['rpc', 'session/read', '{"sessionId":"ses_1"}'], daemon))).toEqual({
    code: 0,
    out: '{"title":"a\\u009b b"}\n',
    err: '',
  });
  expect(daemon.requests).toEqual([{ method: 'session/read', params: { sessionId: 'ses_1' } }]);
  expect(daemon.open()).toBe(0);
});

test('rpc takes its parameters from standard input', async () => {
  const daemon = fakeDaemon();
  await start(['rpc', 'turn/start', '-'], daemon, { input: '{"text":"hi"}\n' }).code;
  expect(daemon.requests).toEqual([{ method: 'turn/start', params: { text: 'hi' } }]);
});

test('rpc prints an error as JSON with its code, message and what to do', async () => {
  const daemon = fakeDaemon();
  daemon.on('no/such', () => {
    throw new ZerdError('unknown_method', 'There is no method no/such.');
  });
  const { code, out, err } = await outcome(start(['rpc', 'no/such'], daemon));
  expect({ code, out, err: JSON.parse(err) }).toEqual({
    code: 1,
    out: '',
    err: {
      code: 'unknown_method',
      message: 'There is no method no/such.',
      todo: 'See `zerd rpc --list`.',
    },
  });
});

for (const params of ['{', '[]', 'null', '"x"'])
  test(`rpc refuses the parameters ${params} before it connects`, async () => {
    const daemon = fakeDaemon();
    const { code, err } = await outcome(start(['rpc', 'session/list', params], daemon));
    expect({ code, err, connected: daemon.connected }).toEqual({
      code: 2,
      err: 'zerd: The parameters are not a JSON object. Nothing was sent.\nSee `zerd rpc session/list --help`.\n',
      connected: [],
    });
  });

test('rpc --list prints every method that a client may call with its sentence, and asks no daemon', async () => {
  const daemon = fakeDaemon();
  const { code, out } = await outcome(start(['rpc', '--list'], daemon));
  const callable = Object.entries(methods).filter(([, { direction }]) => direction === 'toDaemon');
  expect({ code, connected: daemon.connected }).toEqual({ code: 0, connected: [] });
  expect(out.trimEnd().split('\n')).toEqual(callable.map(([name, { says }]) => `${name.padEnd(21)}${says}`));
});

test('rpc METHOD --help prints its sentence, parameters, result and an example, and asks no daemon', async () => {
  const daemon = fakeDaemon();
  const { code, out } = await outcome(start(['rpc', 'turn/interrupt', '--help'], daemon));
  expect({ code, connected: daemon.connected }).toEqual({ code: 0, connected: [] });
  expect(out).toBe(`zerd rpc turn/interrupt [params]

Ends the running turn within a second, whatever it waits for. Without turnId: whichever turn is
running.

Parameters:
  sessionId  ses_...
  turnId?    turn_...

Result:
  interrupted  true | false

Example:
  zerd rpc turn/interrupt '{"sessionId":"ses_..."}'
`);
});

const completing = ['--get-yargs-completions', 'zerd', 'watch', 'ses_'];

test('sessions are completed from a daemon that runs, with their titles where the shell takes them', async () => {
  const daemon = fakeDaemon();
  daemon.on('session/list', () => ({ sessions: [row, { ...row, sessionId: 'ses_$(touch x)' }] }));
  expect(await outcome(start(completing, daemon))).toEqual({ code: 0, out: 'ses_1\n', err: '' });
  expect(await outcome(start(completing, daemon, { env: { SHELL: '/bin/zsh' } }))).toEqual({
    code: 0,
    out: 'ses_1:fix\\x1b[2J it\n',
    err: '',
  });
  expect({ connected: daemon.connected, open: daemon.open() }).toEqual({ connected: ['never', 'never'], open: 0 });
});

test('completion is silent without a daemon, and does not wait for one that is slow', async () => {
  const absent = { connect: () => Promise.reject(new ZerdError('daemon_unavailable', 'No daemon runs.')) };
  expect(await outcome(start(completing, absent))).toEqual({ code: 0, out: '', err: '' });
  const clock = manualClock();
  const slow = start(completing, { connect: () => new Promise(() => {}) }, { clock });
  await settled();
  clock.advance(300);
  expect(await outcome(slow)).toEqual({ code: 0, out: '', err: '' });
});

for (const [shell, words] of [
  ['bash', 'complete -o bashdefault -o default -F _zerd zerd'],
  ['zsh', 'compdef _zerd zerd'],
] as const)
  test(`completion prints the script for ${shell}, named or that of $SHELL`, async () => {
    const named = await outcome(start(['completion', shell], fakeDaemon()));
    expect(named).toEqual({ code: 0, out: expect.stringContaining(words), err: '' });
    expect(await outcome(start(['completion'], fakeDaemon(), { env: { SHELL: `/usr/bin/${shell}` } }))).toEqual(named);
  });

const row: SessionRow = {
  sessionId,
  createdAt: 0,
  updatedAt: 1_000_000 - 125_000,
  lastSeq: 9,
  title: 'fix\x1b[2J it',
  model: 'sim/sim',
  mode: 'ask',
  state: 'idle',
  requests: 3,
  costPico: 0,
  unpricedRequests: 3,
};

test('sessions are a table whose titles cannot steer the terminal (S-60)', async () => {
  const daemon = fakeDaemon();
  daemon.on('session/list', () => ({ sessions: [row] }));
  expect((await outcome(start(['sessions'], daemon))).out).toBe(
    'SESSION  UPDATED    STATE  MODEL    REQUESTS  COST      TITLE\nses_1    2 min ago  idle   sim/sim  3         unpriced  fix\\x1b[2J it\n',
  );
  expect(JSON.parse((await outcome(start(['sessions', '--json'], daemon))).out)).toEqual([row]);
});

test('no sessions say how to start one', () => {
  expect(sessionTable([], { now: 0 })).toBe('No sessions here yet. Start one: zerd run "<prompt>"\n');
});

const totals: Totals = {
  requests: 4,
  uncached: 1000,
  cacheRead: 3000,
  cacheWrite: 0,
  output: 50,
  costPico: 2e12,
  unpricedRequests: 0,
};

test('cost shows each model and the sum, unpriced where there is no price', () => {
  const free = { ...totals, costPico: 0, unpricedRequests: 4 };
  const both = { ...totals, requests: 8, uncached: 2000, cacheRead: 6000, output: 100, unpricedRequests: 4 };
  expect(
    costTable({
      totals: both,
      byModel: [
        { model: 'a/b', totals },
        { model: 'c/d', totals: free },
      ],
    }),
  ).toBe(
    'MODEL  REQUESTS  IN    CACHED  OUT  COST\na/b    4         4.0k  75 %    50   $2.00\nc/d    4         4.0k  75 %    50   unpriced\ntotal  8         8.0k  75 %    100  $2.00 + 4 unpriced requests\n',
  );
});

test('cost --json gives dollars, or null', async () => {
  const daemon = fakeDaemon();
  daemon.on('cost/read', () => ({ totals, byModel: [{ model: 'a/b', totals: { ...totals, unpricedRequests: 1 } }] }));
  const { out } = await outcome(start(['cost', '--session', 'ses_1', '--json'], daemon));
  expect(JSON.parse(out)).toEqual({
    totals: { ...totals, costUsd: 2 },
    hitRate: 0.75,
    byModel: [{ model: 'a/b', totals: { ...totals, unpricedRequests: 1, costUsd: null } }],
  });
  expect(daemon.requests).toEqual([{ method: 'cost/read', params: { sessionId: 'ses_1' } }]);
});

const trustCalls: readonly (readonly [argv: string[], method: string, params: object, out: string])[] = [
  [['trust'], 'trust/set', { trusted: true }, 'Trusted: /repo\n'],
  [['trust', '--revoke'], 'trust/set', { trusted: false }, 'Not trusted: /repo\n'],
  [['trust', '--show'], 'trust/read', {}, 'Not trusted: /repo\n'],
];

for (const [argv, method, params, out] of trustCalls)
  test(`'${argv.join(' ')}' calls ${method}`, async () => {
    const daemon = fakeDaemon();
    daemon.on('trust/set', ({ trusted }: { trusted: boolean }) => ({ root: '/repo', trusted }));
    daemon.on('trust/read', () => ({ root: '/repo', trusted: false }));
    expect(await outcome(start(argv, daemon))).toEqual({ code: 0, out, err: '' });
    expect(daemon.requests).toEqual([{ method, params }]);
  });

test('a daemon that cannot be reached is said with what to do', async () => {
  const connect = async () => {
    throw new ZerdError('daemon_unavailable', 'zerdd ended with exit 1.');
  };
  expect(await outcome(start(['sessions'], { connect }))).toEqual({
    code: 1,
    out: '',
    err: 'zerd: zerdd ended with exit 1.\nSee which daemons run with `zerdd list`.\n',
  });
});

test('what a message says to do already is not said again', async () => {
  const failing = (error: ZerdError) => outcome(start(['sessions'], { connect: () => Promise.reject(error) }));
  const { err } = await failing(fromWire(new Error('Connection got disposed.')));
  expect(err).toBe('zerd: The connection closed before the answer. Connect again and read the session.\n');
  const wire = toWire(new Error('a defect'));
  expect((await failing(new ZerdError(wire.data.code, wire.message))).err.match(/See the daemon log/g)).toHaveLength(1);
});

test('short ids are the ends of ids, as long as they must differ', () => {
  expect([...shortIds(['ses_abcd1', 'ses_abce1']).values()]).toEqual(['bcd1', 'bce1']);
  expect([...shortIds(['ses_xabcd', 'ses_yabcd']).values()]).toEqual(['xabcd', 'yabcd']);
  expect([...shortIds(['a', 'ab']).values()]).toEqual(['a', 'ab']);
});

test('delete removes the session that is named, and says which went with it', async () => {
  const daemon = fakeDaemon();
  daemon.on('session/delete', () => ({ deleted: ['ses_2', 'ses_1'] }));
  expect(await outcome(start(['delete', 'ses_1'], daemon))).toEqual({
    code: 0,
    out: 'Removed: ses_2\nRemoved: ses_1\n',
    err: '',
  });
  expect(daemon.requests).toEqual([{ method: 'session/delete', params: { sessionId: 'ses_1' } }]);
});

test('forget takes the secret from standard input alone, without its last line break', async () => {
  const daemon = fakeDaemon();
  daemon.on('secret/forget', () => ({ events: 2, bodies: 1, files: 0 }));
  expect(await outcome(start(['forget'], daemon, { input: 'sk-canary\n' }))).toEqual({
    code: 0,
    out: 'It stood in 2 events, 1 archived bodies and 0 other files, and is gone from them.\n',
    err: '',
  });
  expect(daemon.requests).toEqual([{ method: 'secret/forget', params: { secret: 'sk-canary' } }]);
  daemon.on('secret/forget', () => ({ events: 0, bodies: 0, files: 0 }));
  expect((await outcome(start(['forget'], daemon, { input: 'sk-canery' }))).out).toBe(
    'It stands nowhere in what zerd keeps for this repository. Was it given as it stood there, to the letter?\n',
  );
});

test('a message that says by which command to go on is given no other advice', async () => {
  const daemon = fakeDaemon();
  daemon.on('session/list', () => ({ sessions: [] }));
  const { err } = await outcome(start(['fork'], daemon));
  expect(err).toBe('zerd: There is no session here yet. Start one: zerd run "<prompt>"\n');
});
