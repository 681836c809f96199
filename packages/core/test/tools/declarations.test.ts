import { expect, test } from '@jest/globals';
import { declares, declareTools, type ToolName, toolInputs } from '@zerd/core/tools/declarations';

test('the tool block stays within its budget of bytes, with room for the one that stands for all outside tools', () => {
  expect(JSON.stringify(declareTools(['mcp'])).length).toBeLessThanOrEqual(4_000);
  expect(JSON.stringify(declareTools()).length).toBeLessThanOrEqual(4_300);
});

test('a session without servers has no tool for outside tools, and nothing else changes', () => {
  expect(declareTools(['mcp'])).toEqual(declareTools().filter(({ name }) => name !== 'mcp'));
  const tools = (without: readonly ToolName[]) => JSON.stringify(declareTools(without));
  expect([declares(tools([]), 'mcp'), declares(tools(['mcp']), 'mcp')]).toEqual([true, false]);
});

test('the tool for outside tools says in few bytes how it is called', () => {
  const declared = declareTools().find(({ name }) => name === 'mcp');
  expect(declared?.description.length).toBeLessThan(200);
  expect(declared?.inputSchema).toEqual({
    type: 'object',
    properties: {
      tool: { type: 'string', description: 'server/name' },
      arguments: { type: 'object', additionalProperties: {} },
      find: { type: 'string', description: 'words' },
    },
    additionalProperties: false,
  });
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
