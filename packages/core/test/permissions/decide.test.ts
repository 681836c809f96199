import { expect, test } from '@jest/globals';
import { decide } from '@zerd/core/permissions/decide';
import { describeCall } from '@zerd/core/permissions/describe-call';
import { toolNames } from '@zerd/core/tools/declarations';
import type { Mode } from '@zerd/protocol/common/mode';

function check(mode: Mode, expected: Record<'allow' | 'ask' | 'deny', string>) {
  const found = { allow: '', ask: '', deny: '' };
  for (const name of toolNames) found[decide(mode, name).kind] += `${name} `;
  expect(found).toEqual(expected);
}

test('each mode allows, asks and denies exactly these tools', () => {
  check('read-only', {
    allow: 'read search find recall notes todo skill task question ',
    ask: '',
    deny: 'write edit shell jobs mcp ',
  });
  check('ask', {
    allow: 'read search find recall notes todo skill task question ',
    ask: 'write edit shell jobs mcp ',
    deny: '',
  });
  check('edit', {
    allow: 'read write edit search find recall notes todo skill task question ',
    ask: 'shell jobs mcp ',
    deny: '',
  });
  check('full', {
    allow: 'read write edit search find shell recall notes todo skill jobs task question mcp ',
    ask: '',
    deny: '',
  });
});

test('looking outside tools up is allowed in every mode; a call is a call, whatever its server says of it', () => {
  expect(decide('read-only', 'mcp', { find: 'issues' })).toEqual({ kind: 'allow' });
  const call = { tool: 'forge/list_issues', find: 'readOnlyHint' };
  expect((['read-only', 'ask', 'edit', 'full'] as const).map((mode) => decide(mode, 'mcp', call).kind)).toEqual([
    ...['deny', 'ask', 'ask', 'allow'],
  ]);
});

test('what is asked is shown whole, and nothing in it hides (S-47, S-63)', () => {
  const asks = (command: string) => describeCall('shell', { command });
  expect(asks('npm test')).toBe('shell: npm test');
  expect(asks('echo a\necho b')).toBe('shell: echo a\necho b');
  expect(asks(`ls${' '.repeat(500)}; rm -rf x`)).toBe('shell: ls [500 spaces] ; rm -rf x');
  expect(asks(`ls${'\n'.repeat(300)}rm x`)).toBe('shell: ls\n[300 newlines]\nrm x');
  expect(asks('a\u001b[2Kb\u202ec\u{e0041}d\u200be\rf')).toBe(
    'shell: a\\u{1b}[2Kb\\u{202e}c\\u{e0041}d\\u{200b}e\\u{d}f',
  );
  expect(describeCall('mcp', { tool: 'forge/create\u202e_issue', arguments: { title: 'x\ny', labels: ['a'] } })).toBe(
    'outside tool forge/create\\u{202e}_issue\n{\n  "title": "x\\ny",\n  "labels": [\n    "a"\n  ]\n}',
  );
  expect(describeCall('mcp', { tool: 'forge/list' })).toBe('outside tool forge/list\n{}');
  expect(describeCall('write', { path: 'a.ts', content: 'x\n' })).toBe('write {"path":"a.ts","content":"x\\n"}');
});

test('looking at jobs is allowed in every mode, and stopping or writing to one is decided like a command', () => {
  for (const action of ['list', 'wait', 'tail'] as const)
    expect(decide('read-only', 'jobs', { action })).toEqual({ kind: 'allow' });
  for (const action of ['stop', 'write'] as const) {
    expect(decide('edit', 'jobs', { action })).toEqual({ kind: 'ask' });
    expect(decide('read-only', 'jobs', { action }).kind).toBe('deny');
    expect(decide('full', 'jobs', { action })).toEqual({ kind: 'allow' });
  }
});

test('what is written where git finds commands is decided like a command', () => {
  const write = (mode: Mode, path: string) => decide(mode, 'write', { path, content: '' }).kind;
  const edit = (path: string) => decide('edit', 'edit', { path, old: 'a', new: 'b' }).kind;
  for (const path of [
    '.git/hooks/pre-commit',
    './.git/config',
    '/repo/.git/config',
    'a/../.git/x',
    'sub/.GIT/x',
    '.git',
  ]) {
    expect([write('edit', path), edit(path)]).toEqual(['ask', 'ask']);
    expect([write('read-only', path), write('ask', path), write('full', path)]).toEqual(['deny', 'ask', 'allow']);
  }
  for (const path of ['.gitignore', '.github/workflows/x.yml', 'src/.gitkeep', 'a.git/x', 'src/git/x'])
    expect([write('edit', path), edit(path)]).toEqual(['allow', 'allow']);
});

test('an outside tool is offered for good by its name, and one that is allowed runs with any arguments', () => {
  const call = { tool: 'forge/list', arguments: { page: 1 } };
  const grants = () => ({ commands: [{ words: ['mcp:forge/list'], more: false }] });
  expect(decide('edit', 'mcp', call)).toEqual({ kind: 'ask', always: ['mcp:forge/list'] });
  expect(decide('edit', 'mcp', call, grants)).toEqual({ kind: 'allow' });
  expect(decide('ask', 'mcp', { tool: 'forge/list_all' }, grants)).toEqual({
    kind: 'ask',
    always: ['mcp:forge/list_all'],
  });
  expect(decide('ask', 'mcp', { tool: 'forge/a b' }, grants)).toEqual({ kind: 'ask' });
  expect(decide('read-only', 'mcp', call, grants).kind).toBe('deny');
});
