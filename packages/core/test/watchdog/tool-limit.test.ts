import { expect, test } from '@jest/globals';
import type { ToolInput, ToolName } from '@zerd/core/tools/declarations';
import { toolLimitMs, waitName } from '@zerd/core/watchdog/tool-limit';

function check<N extends ToolName>(name: N, input: ToolInput<N>, expected: number | undefined): void {
  expect([name, toolLimitMs(name, input, 900_000)]).toEqual([name, expected]);
}

test('a tool is given up after the usual time, one with a time limit of its own only behind that', () => {
  check('read', { path: 'a' }, 900_000);
  check('shell', { command: 'make' }, 900_000);
  check('shell', { command: 'make', timeoutMs: 7_200_000 }, 8_100_000);
  check('jobs', { action: 'wait', timeoutMs: 600_000 }, 1_500_000);
});

test('a sub-agent and a question are watched elsewhere', () => {
  check('task', { prompt: 'Look' }, undefined);
  check('question', { text: 'Which?' }, undefined);
});

test('I8: a wait for an outside tool is named by server and tool', () => {
  expect(waitName('mcp', { tool: 'forge/list_issues' })).toBe('tool forge/list_issues');
  expect(waitName('mcp', { tool: `a\n${'x'.repeat(500)}` })).toHaveLength(125);
  expect(waitName('mcp', { find: 'x' })).toBe('tool mcp');
  expect(waitName('shell', { command: 'make' })).toBe('tool shell');
});
