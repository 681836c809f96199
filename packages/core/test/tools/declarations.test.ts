import { expect, test } from '@jest/globals';
import { declareTools, toolInputs } from '@zerd/core/tools/declarations';

test('the tool block stays within its budget of bytes, with room for one more tool', () => {
  expect(JSON.stringify(declareTools()).length).toBeLessThanOrEqual(4_000);
});

test('a session without skills has no tool for them, and nothing else changes', () => {
  expect(declareTools(['skill'])).toEqual(declareTools().filter(({ name }) => name !== 'skill'));
  expect(declareTools(['skill'])).toHaveLength(declareTools().length - 1);
});

test('an unknown argument is refused by every tool', () => {
  for (const schema of Object.values(toolInputs)) {
    expect(schema.safeParse({ sandbox: false }).success).toBe(false);
  }
});

test('a declaration is the plain schema, without the bounds that are checked here', () => {
  expect(declareTools().find(({ name }) => name === 'shell')).toEqual({
    name: 'shell',
    description: 'Run a command with bash in the workspace. No input, no tty.',
    inputSchema: {
      type: 'object',
      properties: { command: { type: 'string' }, timeoutMs: { type: 'integer' } },
      required: ['command'],
      additionalProperties: false,
    },
  });
  expect(toolInputs.shell.safeParse({ command: '' }).success).toBe(false);
});
