import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { loadConfig } from '../../src/config/load.ts';
import { folderWarnings } from '../../src/config/other-folder.ts';
import { viewConfig } from '../../src/config/view.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'zerd-config-'));
  mkdirSync(join(home, 'zerd'));
});
afterEach(() => rmSync(home, { recursive: true }));

/** `expected`: without the name of the file in front. */
function check(text: string, expected: readonly string[]): void {
  const file = join(home, 'zerd', 'config.json');
  writeFileSync(file, text, { mode: 0o600 });
  const { warnings } = viewConfig(loadConfig({ env: { XDG_CONFIG_HOME: home } }), {});
  expect(warnings.map((warning) => warning.replace(`${file}: `, ''))).toEqual(expected);
}

test('unknown fields warn by their place and never fail', () => {
  const local = { wire: 'chat', baseUrl: 'http://localhost:11434/v1' };
  const lab = { ...local, proxy: 'x', models: [{ id: 'a', speed: 1 }] };
  check(JSON.stringify({ theme: 'dark', providers: { lab } }), [
    'the field providers.lab.models.0.speed is not known and has no effect.',
    'the field providers.lab.proxy is not known and has no effect.',
    'the field theme is not known and has no effect.',
  ]);
  expect(loadConfig({ env: { XDG_CONFIG_HOME: home } }).broken).toBeUndefined();
});

test('a field that stands twice is told, since JSON drops the first without a word', () => {
  check('{"budgets": {"day": {"usd": 1}}, "budgets": {}}', [
    'budgets stands there twice, and only the last of them counts.',
  ]);
});

test('a model that nobody offers is told before a turn needs it', () => {
  check('{"model": "anthropic/any-name", "context": {"summarizer": "nobody/x"}}', [
    'context.summarizer names "nobody/x", which no provider offers.',
  ]);
  check('{"model": "nobody/x"}', ['model names "nobody/x", which no provider offers.']);
});

test('a client whose settings lie elsewhere is told whose are in force', () => {
  const file = join(home, 'zerd', 'config.json');
  symlinkSync(join(home, 'zerd'), join(home, 'link'));
  for (const env of [
    {},
    { PATH: '/bin' },
    { XDG_CONFIG_HOME: home },
    { ZERD_CONFIG_DIR: join(home, 'zerd') },
    { ZERD_CONFIG_DIR: join(home, 'link') },
    { ZERD_CONFIG_DIR: 'relative', XDG_CONFIG_HOME: home },
  ])
    expect([env, folderWarnings(file, env)]).toEqual([env, []]);
  for (const [env, own] of [
    [{ ZERD_CONFIG_DIR: '/other' }, '/other'],
    [{ HOME: '/u' }, '/u/.config/zerd'],
  ] as const)
    expect(folderWarnings(file, env)).toEqual([
      `${file} is in force, not ${own}: the daemon was started with it. After \`zerdd stop\` yours is.`,
    ]);
});
