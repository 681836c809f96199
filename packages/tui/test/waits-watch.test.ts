import { expect, test } from '@jest/globals';
import type { Wait } from '@zerd/protocol/common/methods';
import { sayWait } from '@zerd/tui/app/waits-watch';

const at = 1_000_000;
const room: Wait = { for: 'room on the disk: the session log in /s', sinceAt: at - 4_000, deadlineAt: at + 8_000 };
const tool: Wait = { for: 'tool shell', sinceAt: at - 60_000 };

const told = (...waits: readonly Wait[]) => sayWait(waits, at);

test('the wait that is told is the first of the daemon that is no news any more', () => {
  expect([told(), told({ ...tool, sinceAt: at - 1_999 })]).toEqual([undefined, undefined]);
  expect(told(tool)).toBe('waiting for tool shell, 60 s');
  expect(told(room, tool)).toBe('waiting for room on the disk: the session log in /s, 4 s of 12 s');
  expect(told({ ...room, deadlineAt: at + 86_400_000 })).toMatch(/, 4 s of 24 h$/);
  expect(told({ ...room, sinceAt: at }, tool)).toBe('waiting for tool shell, 60 s');
});
