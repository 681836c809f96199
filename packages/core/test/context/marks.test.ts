import { expect, test } from '@jest/globals';
import { renderPrompt } from '@zerd/core/context/render';
import type { CacheMark, PromptMessage } from '@zerd/core/model/prompt';
import { foldSession } from '@zerd/core/session/fold';
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { CallId, RequestId } from '@zerd/protocol/common/ids';
import fc from 'fast-check';
import { assistant, call, compactedThrough, created, finished, log, message, turn } from '../session/events.ts';
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

test('right after a trim from which no tail survives, the summary in front keeps its mark, and is read', () => {
  const asked = (n: number) => [assistant(`req_${n}`, call(`c${n}`)), finished(`c${n}`)];
  const story = [...begun, ...asked(1), compactedThrough(5), ...asked(2), ...asked(3)];
  const zeros = { cut: 0, read: 0, kept: 0, rewritten: 0, rent: 0, price: 0, costKept: 0, costTrimmed: 0 };
  const trim: SessionEvent = {
    kind: 'context.trimmed',
    turnId: turn.turnId,
    reason: 'due',
    calls: ['c2' as CallId],
    inputs: [],
    note: 'cleared',
    keptFrom: 'req_3' as RequestId,
    predicted: zeros,
  };
  const marks = (...events: readonly SessionEvent[]) =>
    render(...events).marks.map(({ message: at, block }) => [at, block]);
  expect(marks(...story)[0]).toEqual([0, 0]);
  const after = marks(...story, trim);
  expect([after.length, after[0]]).toEqual([3, [0, 0]]);
  expect(marks(...story, trim, ...asked(4))).not.toContainEqual([0, 0]);
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
