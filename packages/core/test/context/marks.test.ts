import { expect, test } from '@jest/globals';
import { renderPrompt } from '@zerd/core/context/render';
import type { CacheMark, PromptMessage } from '@zerd/core/model/prompt';
import { foldSession } from '@zerd/core/session/fold';
import type { SessionEvent } from '@zerd/protocol/common/event';
import fc from 'fast-check';
import { assistant, call, created, finished, log, message, turn } from '../session/events.ts';
import { moves, tell } from './stories.ts';

const begun = [created, turn, message('Go')];
const reminder: SessionEvent = {
  kind: 'reminder.added',
  turnId: turn.turnId,
  text: 'changed',
  about: { kind: 'filesChanged', files: [{ path: 'a.ts', lines: true }] },
};
const thought = { kind: 'opaque', wire: 'anthropic', json: '{"type":"thinking"}' } as const;
const said = { kind: 'text', text: 'Well.' } as const;

/** An answer with so many calls, and their results. */
function parallel(requestId: string, count: number): readonly SessionEvent[] {
  const ids = Array.from({ length: count }, (_, i) => `${requestId}-${i}`);
  return [assistant(requestId, ...ids.map(call)), ...ids.map((id) => finished(id))];
}

const render = (...events: readonly SessionEvent[]) => renderPrompt(foldSession(log(...events)), 'key');

test.each<[string, readonly SessionEvent[], readonly (readonly [message: number, block: number])[]]>([
  ['a first request marks its tail', begun, [[0, 0]]],
  [
    'the next one its previous and its newest tail',
    [...begun, ...parallel('req_1', 1)],
    [
      [0, 0],
      [2, 0],
    ],
  ],
  [
    'up to 15 new blocks the previous tail keeps its mark',
    [...begun, ...parallel('req_1', 7)],
    [
      [0, 0],
      [2, 6],
    ],
  ],
  [
    'behind more blocks it moves among them, as far as it finds the entry',
    [...begun, ...parallel('req_1', 8)],
    [
      [2, 6],
      [2, 7],
    ],
  ],
  [
    'also with forty',
    [...begun, ...parallel('req_1', 40)],
    [
      [1, 14],
      [2, 39],
    ],
  ],
  [
    'never on reasoning, which takes no mark',
    [...begun, assistant('req_1', said, ...Array.from({ length: 15 }, () => thought), call('c1')), finished('c1')],
    [
      [1, 0],
      [2, 0],
    ],
  ],
  [
    'a reminder is a block like others: it stays, so it may carry the mark (P006)',
    [...begun, ...parallel('req_1', 1), reminder],
    [
      [0, 0],
      [2, 1],
    ],
  ],
  [
    'what joined a message after its request was answered lies behind the entry',
    [...begun, assistant('req_1', thought), reminder],
    [
      [0, 0],
      [0, 1],
    ],
  ],
  [
    'a paused answer that was carried on: the tail in front of it',
    [...begun, { ...assistant('req_1', said), stopReason: 'pause' }, assistant('req_2', call('c1')), finished('c1')],
    [
      [0, 0],
      [2, 0],
    ],
  ],
])('marks: %s', (_name, events, expected) => {
  const { marks } = render(...events);
  expect(marks.map(({ message: at, block }) => [at, block])).toEqual(expected);
});

test('however a session goes: three marks at most, in order, on blocks that are there and can carry one', () => {
  fc.assert(
    fc.property(moves, fc.nat(60), (story, cut) => {
      const { messages, marks } = renderPrompt(foldSession(tell(story).events.slice(0, cut)), 'key');
      const places = marks.map((mark) => flatPlace(messages, mark));
      expect(marks.length).toBeLessThanOrEqual(3);
      expect([...new Set(places)].sort((a, b) => a - b)).toEqual(places);
      for (const { message: at, block } of marks) expect(messages[at]?.blocks[block]?.kind).toMatch(/text|tool/);
    }),
  );
});

/** The blocks in front of a mark. */
function flatPlace(messages: readonly PromptMessage[], { message: at, block }: CacheMark): number {
  return messages.slice(0, at).reduce((sum, { blocks }) => sum + blocks.length, block);
}
