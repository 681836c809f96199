import { execFile } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { isZerdError } from '@zerd/protocol/common/errors';
import { systemClock } from '@zerd/protocol/node/clock';
import { codexWay, planWay, type Way } from '@zerd/providers/sign-in/ways';
import { build } from 'esbuild';
import type { LoginState } from '../../src/base/credential-ports.ts';
import { silentLog } from '../../src/base/log.ts';
import { loadConfig } from '../../src/config/load.ts';
import { resolveModel } from '../../src/config/models.ts';
import { viewConfig } from '../../src/config/view.ts';
import { viewKeys } from '../../src/config/view-keys.ts';
import { findKeychain } from '../../src/credentials/keychain.ts';
import { type CredentialParts, openCredentials } from '../../src/credentials/open-credentials.ts';
import { openCallback } from '../../src/web/open-callback.ts';
import { startTokenServer } from './token-server.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'zerd-credentials-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const file = () => join(folder, 'credentials.json');
const open = (more: Partial<CredentialParts> = {}) =>
  openCredentials({ folder, keychain: undefined, clock: systemClock, log: silentLog, openCallback, ...more });
const config = (credentials = open()) => ({
  ...loadConfig({ env: { ZERD_CONFIG_DIR: folder } }),
  stored: credentials.stored,
});

function signedIn(expiresAt: number, refresh = 'refresh-0', issued: { readonly issuedAt?: number } = {}): void {
  const tokens = { access: 'access-0', refresh, clientId: 'issued', expiresAt, email: 'a@b.c', ...issued };
  writeFileSync(file(), JSON.stringify({ signIns: { chatgpt: tokens } }), { mode: 0o600 });
}

test('a key is kept for its user alone, found after the environment and the settings, shown by its place, and removed', async () => {
  const credentials = open();
  expect(await credentials.keepKey('anthropic', 'sk-kept-key')).toBe('file');
  expect(statSync(file()).mode & 0o777).toBe(0o600);
  const keyFor = (env: Record<string, string>) =>
    resolveModel(config(), 'anthropic/claude-opus-5-5', env).endpoint.apiKey;
  expect(keyFor({})).toBe('sk-kept-key');
  expect(keyFor({ ANTHROPIC_API_KEY: 'sk-of-the-client' })).toBe('sk-of-the-client');
  const shown = (env = {}) => viewKeys(config(), env, credentials).providers;
  expect(shown()).toContainEqual({ provider: 'anthropic', source: 'file' });
  expect(shown({ ANTHROPIC_API_KEY: 'k' })).toContainEqual({
    provider: 'anthropic',
    source: 'environment',
    variable: 'ANTHROPIC_API_KEY',
  });
  expect(shown()).toContainEqual({ provider: 'openai', source: 'missing', variable: 'OPENAI_API_KEY' });
  expect(shown()).toContainEqual({ provider: 'chatgpt', source: 'missing' });
  expect(JSON.stringify(shown())).not.toContain('sk-');
  expect(await credentials.remove('anthropic')).toEqual(['file']);
  expect(await credentials.remove('anthropic')).toEqual([]);
  expect(readFileSync(file(), 'utf8')).not.toContain('sk-kept-key');
});

test('a file that others may read is closed to them, and that is said', () => {
  const warned: string[] = [];
  const log = { ...silentLog, warn: (text: string) => void warned.push(text) };
  writeFileSync(file(), '{"keys":{"anthropic":{"key":"sk-kept-key"}}}', { mode: 0o644 });
  chmodSync(file(), 0o644);
  expect(open({ log }).stored.key('anthropic')).toMatchObject({ value: 'sk-kept-key' });
  expect(statSync(file()).mode & 0o777).toBe(0o600);
  open({ log });
  expect(warned).toEqual(['the kept keys could be read by other users until now: change those that matter']);
});

test('a session whose key is missing names zerd login', () => {
  const refused = (ref: string) => {
    try {
      return resolveModel(config(), ref, {}).ref;
    } catch (error) {
      return isZerdError(error) ? `${error.code}: ${(error as Error).message}` : error;
    }
  };
  expect(refused('openai/gpt-5.5')).toContain(
    'or keep the key with `zerd login openai`, and run again; nothing was sent.',
  );
  expect(refused('chatgpt/gpt-5.5')).toBe(
    'key_missing: chatgpt/gpt-5.5 is for ChatGPT subscribers and nobody is signed in. Sign in with `zerd login chatgpt` and run again; nothing was sent.',
  );
});

test('who is signed in uses the models of the plan, which have no price; the flags of the two ways differ', () => {
  signedIn(Date.now() + 3_600_000);
  const plan = resolveModel(config(), 'chatgpt/gpt-5.5', {});
  expect(plan).toMatchObject({ wire: 'responses', price: null, endpoint: { plan: true } });
  expect(plan.endpoint.token).toBeDefined();
  expect(plan.contextWindow).toBeGreaterThan(100_000);
  expect(resolveModel(config(), undefined, {}).ref).toBe('chatgpt/gpt-5.5');
  const kept = config(openCredentials({ ...base(), wayOf: () => undefined }));
  expect(kept.stored.token('codex')).toBeUndefined();
});

const base = (): CredentialParts => ({ folder, keychain: undefined, clock: systemClock, log: silentLog, openCallback });

test('a file that is not zerd’s is never written over, and holds nothing', async () => {
  writeFileSync(file(), '{"keys": 7}');
  const credentials = open();
  expect(credentials.stored.key('anthropic')).toBeUndefined();
  await expect(credentials.keepKey('anthropic', 'sk-kept-key')).rejects.toMatchObject({ code: 'config_broken' });
  expect(readFileSync(file(), 'utf8')).toBe('{"keys": 7}');
});

test.each([
  ['is not what zerd wrote', () => writeFileSync(file(), '{"keys":', { mode: 0o600 })],
  ['is not what zerd wrote', () => writeFileSync(file(), '{"keys":{"anthropic":"sk-kept-key"}}', { mode: 0o600 })],
  ['is not a regular file', () => mkdirSync(file())],
  ['is a link that leads nowhere', () => symlinkSync('/nowhere/credentials.json', file())],
])('a file of keys that %s is named where a key is missed, and is left as it is', async (what, spoil) => {
  spoil();
  const kind = () => [lstatSync(file()).mode, lstatSync(file()).ino];
  const before = kind();
  const credentials = open();
  const why = `${file()} ${what}. It was left as it is, and nothing of it is used: mend it, or move it away and run \`zerd login\` again.`;
  const refusal = (ref: string | undefined) => {
    try {
      return resolveModel(config(credentials), ref, {}).ref;
    } catch (error) {
      return (error as Error).message;
    }
  };
  expect(refusal('anthropic/claude-sonnet-4-6').startsWith(`${why} anthropic/`)).toBe(true);
  expect(refusal(undefined).startsWith(`${why} No model is chosen`)).toBe(true);
  expect(viewKeys(config(credentials), {}, credentials).broken).toBe(why);
  expect(viewConfig(config(credentials), {}).warnings).toContain(why);
  await expect(credentials.keepKey('anthropic', 'sk-kept-key')).rejects.toMatchObject({ code: 'config_broken' });
  await expect(credentials.remove('anthropic')).rejects.toMatchObject({ code: 'config_broken' });
  expect(kind()).toEqual(before);
});

/** A program in the place of the system's: it keeps what it is given in files, and what it was asked. */
function fakeKeychain(name: string, script: string) {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, name), `#!/bin/sh\ncd "${bin}"\necho "$@" >> asked\n${script}\n`);
  chmodSync(join(bin, name), 0o755);
  return { PATH: `${bin}:${process.env.PATH}`, ANTHROPIC_API_KEY: 'sk-of-the-client' };
}

const secretTool = `case "$1" in
store) cat > "key-$6" ;;
lookup) cat "key-$5" ;;
clear) rm "key-$5" ;;
esac`;
const security = `case "$1" in
-i) read -r line; printf %s "$line" | sed "s/.*-w '//;s/'$//" > key ;;
find-generic-password) cat key ;;
delete-generic-password) rm key ;;
esac`;

test.each<[NodeJS.Platform, string, string]>([
  ['linux', 'secret-tool', secretTool],
  ['darwin', 'security', security],
])('on %s the keychain keeps the key, which is in no file and no argument', async (platform, name, script) => {
  const env = fakeKeychain(name, script);
  const keychain = () => findKeychain({ platform, env, clock: systemClock });
  const credentials = open({ keychain: keychain() });
  expect(await credentials.keepKey('anthropic', 'sk-kept-key')).toBe('keychain');
  expect(readFileSync(file(), 'utf8')).not.toContain('sk-');
  const later = open({ keychain: keychain() });
  expect(later.stored.key('anthropic')).toBeUndefined();
  await later.ready();
  expect(later.stored.key('anthropic')).toEqual({ value: 'sk-kept-key', from: 'keychain' });
  expect(await later.remove('anthropic')).toEqual(['keychain']);
  expect(await keychain()?.get('anthropic')).toBeUndefined();
  expect(readFileSync(join(folder, 'bin', 'asked'), 'utf8')).not.toContain('sk-kept-key');
});

test('a keychain that cannot be asked is none: the key is in the file', async () => {
  const env = fakeKeychain('secret-tool', 'exit 1');
  const credentials = open({ keychain: findKeychain({ platform: 'linux', env, clock: systemClock }) });
  expect(await credentials.keepKey('anthropic', 'sk-kept-key')).toBe('file');
  expect(findKeychain({ platform: 'linux', env: { PATH: '' }, clock: systemClock })).toBeUndefined();
});

const wayAt = (tokenUrl: string) => (): Way => ({ ...codexWay(), tokenUrl });

test('a token that lasts is taken as it is; one that ends soon is renewed, and what came is kept before it is used', async () => {
  await using server = await startTokenServer();
  const credentials = open({ wayOf: wayAt(server.url) });
  signedIn(Date.now() + 3_600_000);
  expect(await credentials.stored.token('chatgpt')?.()).toEqual({ access: 'access-0' });
  expect(server.asked).toEqual([]);
  signedIn(Date.now() + 60_000);
  expect(await credentials.stored.token('chatgpt')?.()).toEqual({ access: 'access-1' });
  expect(JSON.parse(readFileSync(file(), 'utf8')).signIns.chatgpt).toMatchObject({
    access: 'access-1',
    refresh: 'refresh-1',
    email: 'a@b.c',
  });
  expect(server.asked).toEqual([{ grant_type: 'refresh_token', refresh_token: 'refresh-0', client_id: 'issued' }]);
  expect(statSync(file()).mode & 0o777).toBe(0o600);
});

test('a token that came while the clock was ahead is renewed, once', async () => {
  await using server = await startTokenServer();
  const credentials = open({ wayOf: wayAt(server.url) });
  const year = 365 * 24 * 3_600_000;
  signedIn(Date.now() + year + 3_600_000, 'refresh-0', { issuedAt: Date.now() + year });
  for (let n = 0; n < 2; n++) expect(await credentials.stored.token('chatgpt')?.()).toEqual({ access: 'access-1' });
  expect(server.asked).toHaveLength(1);
});

test('many at once in one process, and in two rooms of it, renew once', async () => {
  await using server = await startTokenServer('refresh-0', 50);
  signedIn(0);
  const rooms = [open({ wayOf: wayAt(server.url) }), open({ wayOf: wayAt(server.url) })];
  const asked = rooms.flatMap((room) => Array.from({ length: 4 }, async () => await room.stored.token('chatgpt')?.()));
  expect(new Set((await Promise.all(asked)).map((answer) => JSON.stringify(answer)))).toEqual(
    new Set(['{"access":"access-1"}']),
  );
  expect(server.asked).toHaveLength(1);
});

test('two processes at once renew once, and both go on with the same token', async () => {
  await using server = await startTokenServer('refresh-0', 150);
  const program = join(import.meta.dirname, '..', '..', 'node_modules', `.refresh-${process.pid}.mjs`);
  mkdirSync(join(program, '..'), { recursive: true });
  await build({
    entryPoints: [join(import.meta.dirname, 'refresh-process.ts')],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'esm',
    conditions: ['zerd-source'],
    external: ['better-sqlite3', 'undici', 'pino'],
  });
  try {
    signedIn(0);
    const run = () => promisify(execFile)(process.execPath, [program, folder, server.url]);
    const answers = await Promise.all([run(), run(), run()]);
    expect(answers.map(({ stdout }) => stdout)).toEqual(Array(3).fill('{"access":"access-1"}'));
    expect(server.asked).toHaveLength(1);
  } finally {
    rmSync(program, { force: true });
  }
});

test.each<[string, number, number, object]>([
  ['a sign-in that was ended names zerd login', 400, 0, { failure: { code: 'provider_auth', retryable: false } }],
  [
    'a provider that is down may be asked again',
    503,
    0,
    { failure: { code: 'provider_unreachable', retryable: true } },
  ],
  ['a provider that is down while the token still lives is no failure', 503, 60_000, { access: 'access-0' }],
])('%s', async (_, status, lives, expected) => {
  await using server = await startTokenServer();
  server.fail(status);
  signedIn(Date.now() + lives);
  const answer = await open({ wayOf: wayAt(server.url) }).stored.token('chatgpt')?.();
  expect(answer).toMatchObject(expected);
  if (status === 400) expect(JSON.stringify(answer)).toContain('zerd login chatgpt');
  expect(JSON.stringify(answer)).not.toContain('refresh-0');
});

/** The provider's page, as a browser leaves it. */
async function back(url: string, redirect: string, more: Record<string, string>): Promise<number> {
  const state = new URL(url).searchParams.get('state') ?? '';
  const to = new URL(redirect);
  for (const [name, value] of Object.entries({ state, ...more })) to.searchParams.set(name, value);
  return (await fetch(to)).status;
}

test.each<[string, (tokenUrl: string, redirectUrl: string) => Way, Record<string, string>]>([
  ['plan', (tokenUrl, redirectUrl) => ({ ...planWay('5f7f'), tokenUrl, redirectUrl }), { client_id: 'issued-client' }],
  ['codex', (tokenUrl, redirectUrl) => ({ ...codexWay(), tokenUrl, redirectUrl }), {}],
])(
  'signing in by browser (%s): a foreign callback changes nothing, ours is redeemed and kept',
  async (_, way, extra) => {
    await using server = await startTokenServer();
    const redirect = 'http://127.0.0.1:14551/auth/callback';
    const credentials = open({ wayOf: () => way(server.url, redirect) });
    const begun = await credentials.beginLogin('chatgpt', 'browser');
    if (begun.state !== 'waiting') throw new Error('it did not begin');
    expect(await back(begun.url, redirect, { code: 'c1', state: 'of-somebody-else' })).toBe(404);
    expect((await fetch(redirect.replace('/auth/callback', '/'))).status).toBe(404);
    expect(server.asked).toEqual([]);
    const ended = credentials.awaitLogin(begun.loginId);
    expect(await back(begun.url, redirect, { code: 'c1', ...extra })).toBe(200);
    expect(await ended).toEqual({ state: 'done', keptIn: 'file' });
    const challenge = new URL(begun.url).searchParams.get('code_challenge');
    const [form] = server.asked;
    const { createHash } = await import('node:crypto');
    expect(
      createHash('sha256')
        .update(form?.code_verifier ?? '')
        .digest('base64url'),
    ).toBe(challenge);
    expect(form?.client_id).toBe(extra.client_id ?? codexWay().clientId);
    expect(await credentials.stored.token('chatgpt')?.()).toEqual({ access: 'access-1' });
    await expect(fetch(redirect)).rejects.toThrow();
    await credentials.close();
  },
);

test('where the browser cannot reach this machine, its address is pasted; another one is refused', async () => {
  await using server = await startTokenServer();
  const taken = () => Promise.reject(new Error('EADDRINUSE'));
  const credentials = open({ wayOf: wayAt(server.url), openCallback: taken });
  const begun = (await credentials.beginLogin('codex', 'browser')) as Extract<LoginState, { state: 'waiting' }>;
  const state = new URL(begun.url).searchParams.get('state');
  await expect(
    credentials.awaitLogin(begun.loginId, 'http://localhost:1455/auth/callback?code=c&state=x'),
  ).rejects.toMatchObject({
    code: 'invalid_params',
  });
  const pasted = ` http://localhost:1455/auth/callback?code=c1&state=${state}\n`;
  expect(await credentials.awaitLogin(begun.loginId, pasted)).toEqual({ state: 'done', keptIn: 'file' });
  await credentials.close();
});

test('a refusal, a second attempt and an unknown one are told as what they are', async () => {
  const redirectUrl = 'http://127.0.0.1:14552/auth/callback';
  const credentials = open({ wayOf: () => ({ ...codexWay(), redirectUrl }) });
  const first = (await credentials.beginLogin('codex', 'browser')) as Extract<LoginState, { state: 'waiting' }>;
  const second = (await credentials.beginLogin('codex', 'browser')) as Extract<LoginState, { state: 'waiting' }>;
  expect(await credentials.awaitLogin(first.loginId)).toMatchObject({
    state: 'failed',
    why: expect.stringContaining('another attempt'),
  });
  await back(second.url, redirectUrl, { error: 'access_denied', error_description: 'Not now' });
  expect(await credentials.awaitLogin(second.loginId)).toEqual({ state: 'failed', why: 'Not now' });
  await expect(credentials.awaitLogin('nothing')).rejects.toMatchObject({ code: 'invalid_params' });
  await expect(open().beginLogin('anthropic', 'browser')).rejects.toMatchObject({ code: 'invalid_params' });
  await credentials.close();
});
