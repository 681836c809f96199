import { expect, test } from '@jest/globals';
import { renderPrompt, unknownResult } from '@zerd/core/context/render';
import type { Prompt, PromptMessage } from '@zerd/core/model/prompt';
import { applyEvent, emptySession, foldSession } from '@zerd/core/session/fold';
import { wellFormed } from '@zerd/core/text/utf8';
import type { LoggedEvent } from '@zerd/protocol/common/event';
import fc from 'fast-check';
import { assistant, call, created, finished, log, message, turn } from '../session/events.ts';
import { moves, tell } from './stories.ts';

const render = (events: readonly LoggedEvent[]) => renderPrompt(foldSession(events), 'key');
const toolResult = (callId: string, text: string, isError = false) => ({ kind: 'toolResult', callId, text, isError });

function check(events: readonly LoggedEvent[], expected: { messages: unknown; marks: unknown }) {
  const { messages, marks } = render(events);
  expect({ messages, marks }).toEqual(expected);
}

test('a first message carries the facts of the moment in front', () => {
  check(log(created, turn, { ...message('Fix it'), facts: 'Date: today' } as never), {
    messages: [
      {
        role: 'user',
        blocks: [{ kind: 'text', text: 'Date: today\n\nFix it' }],
      },
    ],
    marks: [{ message: 0, block: 0 }],
  });
});

test('results stand in the order of the calls, whichever was done first, and both tails are marked', () => {
  check(
    log(
      created,
      turn,
      message('Go'),
      assistant('req_1', { kind: 'text', text: 'Reading.' }, call('c1'), call('c2')),
      finished('c2', { shown: 'two', outcome: 'failed' }),
      finished('c1', { shown: 'one' }),
    ),
    {
      messages: [
        { role: 'user', blocks: [{ kind: 'text', text: 'Go' }] },
        { role: 'assistant', blocks: [{ kind: 'text', text: 'Reading.' }, call('c1'), call('c2')] },
        { role: 'user', blocks: [toolResult('c1', 'one'), toolResult('c2', 'two', true)] },
      ],
      marks: [
        { message: 0, block: 0 },
        { message: 2, block: 1 },
      ],
    },
  );
});

test('a call without a result is answered as unknown, never left out (I9, I12)', () => {
  check(log(created, turn, message('Go'), assistant('req_1', call('c1'))), {
    messages: [
      { role: 'user', blocks: [{ kind: 'text', text: 'Go' }] },
      { role: 'assistant', blocks: [call('c1')] },
      { role: 'user', blocks: [toolResult('c1', unknownResult, true)] },
    ],
    marks: [
      { message: 0, block: 0 },
      { message: 2, block: 0 },
    ],
  });
});

test('a message after a failed request joins the one before, so that roles alternate', () => {
  const failed = {
    kind: 'request.failed',
    requestId: 'req_1',
    turnId: 'turn_1',
    failure: { code: 'x', message: 'x' },
    partial: 'Half an',
  };
  check(log(created, turn, message('One'), failed as never, message('Two')), {
    messages: [
      {
        role: 'user',
        blocks: [
          { kind: 'text', text: 'One' },
          { kind: 'text', text: 'Two' },
        ],
      },
    ],
    marks: [{ message: 0, block: 1 }],
  });
});

test('reasoning goes back exactly to the model that wrote it, and to no other', () => {
  const thought = {
    kind: 'opaque',
    wire: 'anthropic',
    json: '{"type":"thinking","thinking":"","signature":"abc"}',
  } as const;
  const story = [created, turn, message('Go'), assistant('req_1', thought, { kind: 'text', text: 'Done.' })];
  expect(render(log(...story)).messages[1]?.blocks).toEqual([thought, { kind: 'text', text: 'Done.' }]);
  const changed = log(...story, { kind: 'model.changed', model: 'other/big' }, message('More'));
  expect(render(changed).messages[1]?.blocks).toEqual([{ kind: 'text', text: 'Done.' }]);
});

test('an answer that says nothing is left out', () => {
  const thought = { kind: 'opaque', wire: 'anthropic', json: '{}' } as const;
  const events = log(
    created,
    turn,
    message('Go'),
    assistant('req_1', thought, { kind: 'text', text: ' \n' }),
    message('Well?'),
  );
  expect(render(events).messages.map(({ role }) => role)).toEqual(['user']);
});

/** Every serialised block in order, as a provider's cache sees it: marks aside. */
function blocks({ system, tools, messages }: Prompt): readonly string[] {
  const flat = messages.flatMap(({ role, blocks: own }) => own.map((block) => JSON.stringify([role, block])));
  return [JSON.stringify(tools), JSON.stringify(system), ...flat];
}

test('I3: what was sent stays a prefix of what is sent next, over messages, calls, failures, mode switches and restarts', () => {
  fc.assert(
    fc.property(moves, (story) => {
      const { events, requests } = tell(story);
      let before: readonly string[] = [];
      for (const count of requests) {
        const now = blocks(render(events.slice(0, count)));
        expect(now.slice(0, before.length)).toEqual(before);
        before = now;
      }
    }),
  );
});

test('I2: the prompt is the same from a fold of the whole log and from one that grew event by event', () => {
  fc.assert(
    fc.property(moves, (story) => {
      const { events } = tell(story);
      expect(renderPrompt(events.reduce(applyEvent, emptySession), 'key')).toEqual(render(events));
    }),
  );
});

test('I12: whatever happened, calls are answered at once, roles alternate from user on, and texts are well-formed', () => {
  fc.assert(
    fc.property(moves, fc.nat(60), (story, cut) => {
      const { messages, marks } = render(tell(story).events.slice(0, cut));
      for (const [i, entry] of messages.entries()) expectValid(entry, messages[i - 1], i);
      for (const { message: at, block } of marks) expect(messages[at]?.blocks[block]?.kind).toMatch(/text|toolResult/);
    }),
  );
});

function expectValid(entry: PromptMessage, before: PromptMessage | undefined, index: number) {
  const calls = (before?.role === 'assistant' ? before.blocks : []).flatMap((b) =>
    b.kind === 'toolCall' ? [b.callId] : [],
  );
  const results = (entry.role === 'user' ? entry.blocks : []).flatMap((b) =>
    b.kind === 'toolResult' ? [b.callId] : [],
  );
  if (index > 0) expect(entry.role).not.toBe(before?.role);
  expect(results).toEqual(calls);
  expect(entry.blocks.length).toBeGreaterThan(0);
  for (const block of entry.blocks) if ('text' in block) expect(wellFormed(block.text)).toBe(block.text);
}
