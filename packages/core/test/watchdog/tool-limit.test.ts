import { expect, test } from '@jest/globals';
import type { ToolInput, ToolName } from '@zerd/core/tools/declarations';
import { toolLimitMs } from '@zerd/core/watchdog/tool-limit';

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
