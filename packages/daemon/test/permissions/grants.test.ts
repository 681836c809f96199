/** What the user allows in a repository for good (I7). */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { openGrants } from '@zerd/daemon/permissions/grants';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'zerd-grants-'));
});
afterEach(() => rmSync(folder, { recursive: true }));
const file = () => join(folder, 'grants.json');
const open = (root = '/r', configured: readonly string[] = []) =>
  openGrants({ stateFolder: folder, root, configured: () => configured });
const rules = (grants = open()) => grants.list().rules.map(({ rule }) => rule);

test('what is added holds at once, for the next daemon too, once and in one form', async () => {
  const grants = open();
  await Promise.all([grants.add(['npm test *', 'make']), grants.add(["'npm' test *"]), grants.add(['./x "a b"'])]);
  expect(rules(grants)).toEqual(['npm test *', 'make', "./x 'a b'"]);
  expect(open().now()).toEqual({
    commands: [
      { words: ['npm', 'test'], more: true },
      { words: ['make'], more: false },
      { words: ['./x', 'a b'], more: false },
    ],
  });
  expect(statSync(file()).mode & 0o777).toBe(0o600);
});

test('what is taken back is gone, and what is not there is said', async () => {
  const grants = open();
  await grants.add(['a', 'b']);
  await grants.remove('"a"');
  expect(rules()).toEqual(['b']);
  await expect(grants.remove('a')).rejects.toMatchObject({
    code: 'invalid_params',
    message: 'This repository has no rule a. Nothing was changed; see `zerd grants`.',
  });
});

test('what a user wrote into the record is taken back as it is listed, or as it is meant', async () => {
  const write = (...commands: readonly string[]) => writeFileSync(file(), JSON.stringify({ root: '/r', commands }));
  for (const [written, given] of [
    ['npm  test', 'npm  test'],
    ['npm  test', 'npm test'],
    ['"npm" test *', "npm 'test' *"],
    ['id; id', 'id; id'],
    ['', ''],
  ] as const) {
    write('a', written);
    await open().remove(given);
    expect(rules()).toEqual(['a']);
  }
});

test('I4: a record of a million rules allows nothing and is left, and none grows so large', async () => {
  const many = JSON.stringify({ root: '/r', commands: Array.from({ length: 1_000_000 }, (_, n) => `a ${n}`) });
  writeFileSync(file(), many);
  expect(open().now()).toEqual({ commands: [] });
  await expect(open().add(['b'])).rejects.toMatchObject({ code: 'store_failed' });
  expect(statSync(file()).size).toBe(many.length);
  rmSync(file());
  const long = (n: number) => `a ${n} ${'x'.repeat(9_000)}`;
  await open().add(Array.from({ length: 50 }, (_, n) => long(n)));
  await expect(open().add(Array.from({ length: 10 }, (_, n) => long(100 + n)))).rejects.toMatchObject({
    code: 'invalid_params',
    message: expect.stringMatching(/^Not kept: 1000 rules, or half a megabyte of them, are the limit\./),
  });
  expect(rules()).toHaveLength(50);
});

test('those of the configuration stand beside them, and are not changed here', async () => {
  const grants = open('/r', ['npm run *']);
  await grants.add(['a']);
  expect(grants.list()).toEqual({
    rules: [
      { rule: 'npm run *', from: 'configuration' },
      { rule: 'a', from: 'repository' },
    ],
  });
  await expect(grants.remove('npm run *')).rejects.toMatchObject({ code: 'invalid_params' });
});

test.each(['a && b', 'a | b', 'a > b', 'rm *.o', '$(id)', '*', ''])(
  '%j is no rule, and nothing is changed',
  async (rule) => {
    await open().add(['a']);
    await expect(open().add(['b', rule])).rejects.toMatchObject({ code: 'invalid_params' });
    expect(rules()).toEqual(['a']);
  },
);

test.each([
  ['nothing', () => {}],
  ['the record of another repository', () => writeFileSync(file(), '{"root":"/other","commands":["id"]}')],
  ['half a record', () => writeFileSync(file(), '{"root":"/r","commands":["id"')],
  ['another record', () => writeFileSync(file(), '{"root":"/r","commands":"id"}')],
  ['a rule that is none', () => writeFileSync(file(), '{"root":"/r","commands":["id; id"]}')],
  ['a folder', () => mkdirSync(file())],
] as const)('I7: %s allows nothing', (_, make) => {
  make();
  expect(open().now()).toEqual({ commands: [] });
});

test('a broken record is not written over', async () => {
  writeFileSync(file(), '{"root":"/r","comm');
  await expect(open().add(['a'])).rejects.toMatchObject({
    code: 'store_failed',
    message: `${file()}, which holds what you allowed here, is broken and was left as it is. Mend or remove it.`,
  });
  expect(readFileSync(file(), 'utf8')).toBe('{"root":"/r","comm');
});
