import { expect, test } from '@jest/globals';
import type { TurnId } from '@zerd/protocol/common/ids';
import { inputHint, statusSays, stopText } from '../src/app/guide.ts';

const turnId = 'turn_1' as TurnId;
const works = { turnId, turnStartedAt: 1_000 };
const idle = { turnId: undefined, turnStartedAt: 0 };

test.each<[string, Parameters<typeof inputHint>[0], Parameters<typeof inputHint>[1], string]>([
  ['an idle session takes words, commands and files', idle, undefined, 'say what to do, / for commands, @ for files'],
  ['a running turn is steered', works, undefined, 'say more: Enter steers, Tab queues, Esc interrupts'],
  ['a question is answered first', works, 'word', 'your answer'],
  ['an approval takes a key, and words go on', works, 'yesOrNo', 'y allows, n refuses; or say more, and Enter steers'],
])('%s', (_, status, asks, expected) => {
  expect(inputHint(status, asks)).toBe(expected);
});

test.each([
  ['an idle session points at the help', idle, {}, '/help'],
  ['a running turn says how long it has run', works, {}, 'working 4 s'],
  ['a clock that was set back counts from 0', works, { now: 0 }, 'working 0 s'],
  [
    'what takes long says more than that',
    works,
    { waits: [undefined, 'waiting for tool shell'] },
    'waiting for tool shell',
  ],
  ['the first of two waits is told', idle, { waits: ['the daemon', 'a tool'] }, 'the daemon'],
  ['whoever scrolled up is told the way back', works, { follows: false, waits: ['a tool'] }, 'scrolled: Ctrl-End'],
])('%s', (_, status, waiting, expected) => {
  expect(statusSays(status, { follows: true, waits: [], now: 5_000, ...waiting })).toBe(expected);
});

test('whoever presses Ctrl-C is told how to stop what runs, and how to leave', () => {
  expect(stopText(works)).toBe('Esc interrupts. Ctrl-C again leaves; what runs goes on.');
  expect(stopText(idle)).toBe('Ctrl-C again leaves; what runs goes on.');
});
