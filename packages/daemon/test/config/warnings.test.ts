import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { loadConfig } from '../../src/config/load.ts';
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
