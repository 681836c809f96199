import { expect, test } from '@jest/globals';
import { ZerdError } from '@zerd/protocol/common/errors';
import { fakeDaemon, start } from '../fake-daemon.ts';

async function outcome({ screen, code }: ReturnType<typeof start>) {
  return { code: await code, out: screen.out, err: screen.err };
}

const providers = [
  { provider: 'anthropic', source: 'environment', variable: 'ANTHROPIC_API_KEY' },
  { provider: 'openai', source: 'missing', variable: 'OPENAI_API_KEY' },
  { provider: 'chatgpt', source: 'signIn', email: 'a@b.c', plan: 'plus', expiresAt: 9 },
  { provider: 'codex', source: 'missing' },
  { provider: 'lab', source: 'none' },
];

function daemonWithKeys() {
  const daemon = fakeDaemon();
  daemon.on('auth/status', () => ({ providers }));
  daemon.on('auth/login', () => ({ state: 'done', keptIn: 'file' }));
  return daemon;
}

test('without a provider it says where each key comes from', async () => {
  expect(await outcome(start(['login'], daemonWithKeys()))).toEqual({
    code: 0,
    out:
      'PROVIDER   KEY\n' +
      'anthropic  from ANTHROPIC_API_KEY\n' +
      'openai     missing: set OPENAI_API_KEY or zerd login openai\n' +
      'chatgpt    signed in a@b.c, plus\n' +
      'codex      missing: zerd login codex\n' +
      'lab        needs none\n',
    err: '',
  });
});

test('a key comes from standard input or a prompt that does not show it, and is not printed', async () => {
  for (const terminal of [{ input: 'sk-secret-key\n' }, { readSecret: async () => 'sk-secret-key' }]) {
    const daemon = daemonWithKeys();
    const { code, out, err } = await outcome(start(['login', 'openai'], daemon, terminal));
    expect([code, out + err]).toEqual([0, 'The key of openai is kept in a file that only you can read.\n']);
    expect(daemon.requests.at(-1)).toEqual({
      method: 'auth/login',
      params: { provider: 'openai', key: 'sk-secret-key' },
    });
  }
});

test('no key, or no such provider: nothing is kept', async () => {
  const daemon = daemonWithKeys();
  expect((await outcome(start(['login', 'openai'], daemon, { input: ' \n' }))).err).toContain(
    'No key was given. Nothing was kept.',
  );
  expect((await outcome(start(['login', 'nobody'], daemon, { input: 'x' }))).err).toContain(
    'Known: anthropic, openai, chatgpt, codex, lab.',
  );
  expect(daemon.requests.filter(({ method }) => method === 'auth/login')).toEqual([]);
});

test('signing in shows the page and waits for its end', async () => {
  const daemon = daemonWithKeys();
  const states = [
    { state: 'waiting', loginId: 'l1', url: 'https://auth.example/authorize?x=1' },
    { state: 'waiting', loginId: 'l1', url: 'https://auth.example/authorize?x=1' },
    { state: 'done', keptIn: 'file' },
  ];
  daemon.on('auth/login', () => states.shift());
  const { code, out, err } = await outcome(start(['login', 'codex'], daemon, { input: '' }));
  expect([code, out]).toEqual([0, 'Signed in. Use it as --model codex/MODEL; `zerd logout codex` ends it.\n']);
  expect(err).toContain('  https://auth.example/authorize?x=1\n');
  const asked = daemon.requests.filter(({ method }) => method === 'auth/login').map(({ params }) => params);
  expect(asked).toEqual([
    { provider: 'codex', way: 'browser' },
    { provider: 'codex', loginId: 'l1' },
    { provider: 'codex', loginId: 'l1' },
  ]);
});

test('the address where the browser ended may be pasted, after a wrong one too', async () => {
  const daemon = daemonWithKeys();
  let redeemed = (_: object) => {};
  const ended = new Promise<object>((resolve) => {
    redeemed = resolve;
  });
  daemon.on('auth/login', ({ loginId, pasted }: { loginId?: string; pasted?: string }) => {
    if (loginId === undefined) return { state: 'waiting', loginId: 'l1', url: 'https://auth.example/' };
    if (pasted === undefined) return ended;
    if (!pasted.includes('code='))
      throw new ZerdError('invalid_params', 'That address does not belong to this attempt.');
    redeemed({ state: 'done', keptIn: 'file' });
    return { state: 'done', keptIn: 'file' };
  });
  const lines = ['nonsense', 'http://127.0.0.1:1455/auth/callback?code=1&state=2'];
  const readLine = async () => lines.shift();
  const { code, err } = await outcome(start(['login', 'chatgpt'], daemon, { readLine }));
  expect(code).toBe(0);
  expect(err).toContain('does not belong to this attempt');
});

test('a code for another device is shown; a failure says why and fails', async () => {
  const daemon = daemonWithKeys();
  const states = [
    { state: 'waiting', loginId: 'l1', url: 'https://auth.example/device', userCode: 'AB-12' },
    { state: 'failed', why: 'nobody signed in in time' },
  ];
  daemon.on('auth/login', () => states.shift());
  const { code, err } = await outcome(start(['login', 'codex', '--device'], daemon));
  expect(code).toBe(1);
  expect(err).toContain('and type there: AB-12');
  expect(err).toContain('Not signed in: nobody signed in in time.');
});

test('logout says what was removed and what is left', async () => {
  const daemon = daemonWithKeys();
  daemon.on('auth/logout', () => ({ removedFrom: ['keychain'], left: providers[0] }));
  expect(await outcome(start(['logout', 'anthropic'], daemon))).toEqual({
    code: 0,
    out: 'Removed what was kept of anthropic.\n',
    err: 'zerd: its key still comes from elsewhere: from ANTHROPIC_API_KEY.\n',
  });
});
