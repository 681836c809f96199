import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { type RunningGateway, runAlone } from '../../src/gateway/run-alone.ts';

let folder = '';
let said = { out: '', err: '' };
let running: RunningGateway | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-'));
  said = { out: '', err: '' };
});

afterEach(async () => {
  await running?.gateway.close();
  running = undefined;
  rmSync(folder, { recursive: true });
});

async function run(...args: string[]): Promise<number | 'running'> {
  const result = await runAlone(args, {
    out: (text) => {
      said.out += text;
    },
    err: (text) => {
      said.err += text;
    },
  });
  if (typeof result === 'number') return result;
  running = result;
  return 'running';
}

function script(value: unknown): string {
  const file = join(folder, 'script.json');
  writeFileSync(file, typeof value === 'string' ? value : JSON.stringify(value));
  return file;
}

async function ask(): Promise<unknown> {
  const body = JSON.stringify({ model: 'anything/at-all', messages: [{ role: 'user', content: 'hi' }] });
  const urls = JSON.parse(said.out) as { readonly chat: string };
  const response = await fetch(`${urls.chat}/chat/completions`, {
    method: 'POST',
    headers: { authorization: 'Bearer x' },
    body,
  });
  const { choices } = (await response.json()) as {
    readonly choices: readonly { readonly message: { readonly content: string | null } }[];
  };
  return choices[0]?.message.content;
}

test('plays a file for any model, says where, and sums up in one line at the end', async () => {
  const file = script({ name: 'mine', steps: [{ text: 'one' }, { text: 'mended', fix: true }, { text: 'two' }] });
  expect(await run('--script', file, '--json')).toBe('running');
  const origin = running?.gateway.origin;
  expect(JSON.parse(said.out)).toEqual({
    script: 'mine',
    anthropic: origin,
    responses: `${origin}/v1`,
    chat: `${origin}/v1`,
    codex: `${origin}/backend-api/codex`,
  });
  expect([await ask(), await ask(), await ask(), await ask()]).toEqual(['one', 'mended', 'two', 'done']);
  await running?.finish();
  expect(
    said.err
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toMatchObject([{ requests: 4, refused: 0, cacheRead: 0 }]);
  await expect(fetch(`${origin}`)).rejects.toThrow();
  running = undefined;
});

test('the same script can be played without the step that mends', async () => {
  const file = script({ name: 'mine', steps: [{ text: 'one' }, { text: 'mended', fix: true }, { text: 'two' }] });
  await run('--script', file, '--json', '--without-fix');
  expect([await ask(), await ask(), await ask()]).toEqual(['one', 'two', 'done']);
});

test('without --json the addresses are for people', async () => {
  await run('--script', 'repair');
  const origin = running?.gateway.origin;
  expect(said.out).toBe(
    `Playing repair\nanthropic  ${origin}\nresponses  ${origin}/v1\nchat       ${origin}/v1\ncodex      ${origin}/backend-api/codex\n`,
  );
});

test.each<[string, () => string[], number, RegExp]>([
  ['no script', () => [], 2, /^Usage: npm run gateway/],
  ['an unknown option', () => ['--scripts', 'x'], 2, /^gateway: Unknown option '--scripts'/],
  [
    'a port that is none',
    () => ['--script', 'repair', '--port', '70000'],
    2,
    /^gateway: --port 70000 is no port number/,
  ],
  ['a file that is missing', () => ['--script', './missing.json'], 2, /^gateway: ENOENT/],
  ['a file that is no JSON', () => ['--script', script('{')], 2, /script\.json: not JSON/],
  ['a file without steps', () => ['--script', script({ name: 'x' })], 2, /a script is \{"name": "\.\.\.", "steps"/],
  ['a step with a slip', () => ['--script', script({ name: 'x', steps: [{}, { txt: 'x' }] })], 2, /step 2 is none/],
])('%s is told and ends', async (_name, args, code, words) => {
  expect(await run(...args())).toBe(code);
  expect(said.err).toMatch(words);
});

test('help is no failure, and a port in use is told', async () => {
  expect([await run('--help'), said.out]).toEqual([0, expect.stringContaining('--without-fix')]);
  await run('--script', 'repair');
  const first = running;
  const port = new URL(first?.gateway.origin ?? '').port;
  expect([await run('--script', 'repair', '--port', port), said.err]).toEqual([
    1,
    expect.stringContaining('EADDRINUSE'),
  ]);
});
