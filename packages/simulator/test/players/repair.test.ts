/** The shipped sample and the script that mends it fit each other. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { withoutFix } from '../../src/players/script.ts';
import { readScript } from '../../src/players/script-file.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sample-'));
  cpSync(join(import.meta.dirname, '../../sample'), folder, { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true }));

function runTests(): { readonly status: number | null; readonly counts: readonly string[] } {
  const { status, stdout } = spawnSync(process.execPath, ['--test', '--test-reporter=tap'], {
    cwd: folder,
    env: { PATH: process.env.PATH },
    encoding: 'utf8',
  });
  return { status, counts: stdout.match(/^# (?:pass|fail) \d+$/gm) ?? [] };
}

interface Edit {
  readonly path: string;
  readonly old: string;
  readonly new: string;
}

test('two of eight tests fail; the edit of the script fits once and mends both', () => {
  expect(runTests()).toEqual({ status: 1, counts: ['# pass 6', '# fail 2'] });
  const edits = readScript('repair')
    .steps.flatMap((step) => step.calls ?? [])
    .filter((call) => call.name === 'edit');
  for (const { path, old, new: text } of edits.map((call) => call.input as Edit)) {
    const before = readFileSync(join(folder, path), 'utf8');
    expect(before.split(old).length).toBe(2);
    writeFileSync(join(folder, path), before.replace(old, text));
  }
  expect(runTests()).toEqual({ status: 0, counts: ['# pass 8', '# fail 0'] });
});

test('without its mending step the script changes nothing', () => {
  const { steps } = readScript('repair');
  const names = withoutFix(steps).flatMap((step) => (step.calls ?? []).map((call) => call.name));
  expect([steps.length - withoutFix(steps).length, names]).toEqual([1, ['shell', 'search', 'read', 'read', 'shell']]);
});
