import { expect, test } from '@jest/globals';
import { batches } from '@zerd/core/tools/batches';
import { companyOf } from '@zerd/core/tools/company';
import { declareTools } from '@zerd/core/tools/declarations';
import { type PreparedCall, prepareCall } from '@zerd/core/tools/prepare-call';
import type { Mode } from '@zerd/protocol/common/mode';

function check(call: { name: string; inputJson: string; broken?: string }, mode: Mode, expected: PreparedCall) {
  expect(prepareCall({ broken: undefined, ...call }, { mode })).toEqual(expected);
}

const refused = (text: string): PreparedCall => ({ kind: 'refuse', outcome: 'failed', text });

test('a call that fits and is allowed runs with its checked input', () => {
  check({ name: 'read', inputJson: '{"path":"a.ts","limit":3}' }, 'read-only', {
    kind: 'run',
    name: 'read',
    input: { path: 'a.ts', limit: 3 },
  });
});

test('a call that the mode leaves open is asked, with what would allow it for good', () => {
  const input = { command: 'npm test' };
  check({ name: 'shell', inputJson: JSON.stringify(input) }, 'edit', {
    kind: 'ask',
    always: ['npm test *'],
    name: 'shell',
    input,
  });
});

test('a command that only looks runs in every mode, if what it looks at lies in the repository', () => {
  const input = { command: 'cat ../a' };
  for (const [mode, or] of [
    ['read-only', 'deny'],
    ['ask', 'ask'],
    ['edit', 'ask'],
  ] as const)
    check({ name: 'shell', inputJson: JSON.stringify(input) }, mode, {
      kind: 'run',
      only: { reach: { paths: ['../a'], files: [], git: false }, looks: true, or },
      name: 'shell',
      input,
    });
});

test('a call that the mode forbids is denied with the reason', () => {
  check({ name: 'shell', inputJson: '{"command":"make"}' }, 'read-only', {
    kind: 'refuse',
    outcome: 'denied',
    text: 'Not run: this session is read-only and shell could change something.',
  });
});

test('an unknown tool is answered with the tools there are (F-13)', () => {
  check(
    { name: 'bash', inputJson: '{}' },
    'full',
    refused(
      'Not run: there is no tool "bash". Tools: read, write, edit, search, find, shell, recall, notes, todo, skill, jobs, task, question.',
    ),
  );
});

test('in a session without servers there is no tool for outside tools', () => {
  const call = { name: 'mcp', inputJson: '{"find":"x"}', broken: undefined };
  const absent =
    'there is no tool "mcp". Tools: read, write, edit, search, find, shell, recall, notes, todo, skill, jobs, task, question.';
  expect(prepareCall(call, { mode: 'full', declared: JSON.stringify(declareTools(['mcp'])) })).toEqual(
    refused(`Not run: ${absent}`),
  );
  expect(prepareCall(call, { mode: 'full', declared: JSON.stringify(declareTools()) })).toMatchObject({
    kind: 'run',
    name: 'mcp',
  });
  const other = prepareCall({ ...call, name: 'bash' }, { mode: 'full', declared: JSON.stringify(declareTools()) });
  expect(other).toMatchObject({ text: expect.stringMatching(/question, mcp\.$/) });
});

test('arguments of an outside tool may come as JSON text', () => {
  const input = { tool: 'a/b', arguments: { x: 1 } };
  check({ name: 'mcp', inputJson: '{"tool":"a/b","arguments":"{\\"x\\":1}"}' }, 'full', {
    kind: 'run',
    name: 'mcp',
    input,
  });
  check(
    { name: 'mcp', inputJson: '{"tool":"a/b","arguments":"{"}' },
    'full',
    refused('Not run: the arguments of mcp do not fit: arguments: Invalid input: expected record, received string.'),
  );
});

test('a truncated call never runs (F-08)', () => {
  check(
    { name: 'shell', inputJson: '{}', broken: 'the arguments broke off' },
    'full',
    refused('Not run: the arguments broke off. Send the call again, whole.'),
  );
});

test('arguments that are no JSON, lack a field or have the wrong type are refused', () => {
  check(
    { name: 'read', inputJson: '{"path":' },
    'full',
    refused('Not run: the arguments of read are not JSON. Send the call again, whole.'),
  );
  check(
    { name: 'read', inputJson: '' },
    'full',
    refused('Not run: the arguments of read do not fit: path: Invalid input: expected string, received undefined.'),
  );
  check(
    { name: 'edit', inputJson: '{"path":"a","old":"","new":1}' },
    'full',
    refused(
      'Not run: the arguments of edit do not fit: old: Too small: expected string to have >=1 characters; new: Invalid input: expected string, received number.',
    ),
  );
});

test('no field of a call can widen what it may do: an unknown one is refused (S-30)', () => {
  check(
    { name: 'shell', inputJson: '{"command":"ls","dangerouslyDisableSandbox":true,"cwd":"/"}' },
    'full',
    refused('Not run: the arguments of shell do not fit: Unrecognized keys: "dangerouslyDisableSandbox", "cwd".'),
  );
});

test('neighbours that only read run side by side, and so do sub-agents; the others alone and in order', () => {
  const check = (...names: readonly string[]) =>
    batches(
      names.map((name) => ({ name })),
      companyOf,
    ).map((group) => group.map(({ name }) => name).join(' '));
  expect(check('read', 'find', 'edit', 'write', 'read', 'shell', 'search', 'recall')).toEqual([
    'read find',
    'edit',
    'write',
    'read',
    'shell',
    'search recall',
  ]);
  expect(check('read', 'task', 'task', 'read', 'nonsense', 'nonsense')).toEqual([
    'read',
    'task task',
    'read',
    'nonsense',
    'nonsense',
  ]);
  expect(check()).toEqual([]);
});
