import { expect, test } from '@jest/globals';
import { renderPrompt, unknownResult } from '@zerd/core/context/render';
import type { Prompt, PromptMessage, UserBlock } from '@zerd/core/model/prompt';
import { applyEvent, emptySession, foldSession } from '@zerd/core/session/fold';
import { wellFormed } from '@zerd/core/text/utf8';
import type { AssistantBlock, LoggedEvent, SessionEvent } from '@zerd/protocol/common/event';
import type { ArchiveId, CallId, RequestId } from '@zerd/protocol/common/ids';
import fc from 'fast-check';
import { assistant, call, compactedThrough, created, finished, log, message, turn } from '../session/events.ts';
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

test('what was rendered is the same block in the next prompt: who measures it does so once', () => {
  const events = log(created, turn, message('Go'), assistant('req_1', call('c1')), finished('c1'));
  const first = foldSession(events);
  const next = applyEvent(first, { seq: 6, at: 6, event: { ...message('On'), turnId: turn.turnId } as SessionEvent });
  const resultIn = (state: typeof first) => renderPrompt(state, 'key').messages[2]?.blocks[0];
  expect(resultIn(next)).toBe(resultIn(first));
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

test('I3: what was sent stays a prefix of what is sent next, whatever happens, and every break has a named cause', () => {
  fc.assert(
    fc.property(moves, (story) => {
      const { events, requests } = tell(story);
      let before: { readonly blocks: readonly string[]; readonly count: number } = { blocks: [], count: 0 };
      for (const count of requests) {
        const now = blocks(render(events.slice(0, count)));
        const same = unbroken(before.blocks, events.slice(0, count), events.slice(before.count, count));
        expect(now.slice(0, same)).toEqual(before.blocks.slice(0, same));
        before = { blocks: now, count };
      }
    }),
  );
});

/** How many blocks must stand as they were: all, unless a trim, a compaction or another model came between. */
function unbroken(prompt: readonly string[], events: readonly LoggedEvent[], between: readonly LoggedEvent[]): number {
  const kinds = new Set(between.map(({ event }) => event.kind));
  if (kinds.has('context.compacted')) return Math.min(prompt.length, 2);
  const refused = events.some(({ event }) => event.kind === 'images.refused' && event.images.length > 0);
  // What was refused is sent again to another model.
  if (kinds.has('images.refused') || (refused && kinds.has('model.changed'))) return Math.min(prompt.length, 2);
  if (!kinds.has('context.trimmed') && !kinds.has('model.changed')) return prompt.length;
  const cut = events.flatMap(({ event }) => (event.kind === 'context.trimmed' ? event.calls : []));
  const touched = (block: string) => block.includes('"opaque"') || cut.some((callId) => block.includes(`"${callId}"`));
  const reasoned = events.some(({ event }) => event.kind === 'assistant.finished' && event.content.some(isReasoning));
  const first = prompt.findIndex(touched);
  // Reasoning of another model's time may come back where there was none.
  if (kinds.has('model.changed') && reasoned) return Math.min(prompt.length, 2);
  return first < 0 ? prompt.length : first;
}

function isReasoning({ kind }: AssistantBlock): boolean {
  return kind === 'opaque';
}

test('reasoning goes back on every request of the model that wrote it, until another model, a trim that ends it or a summary; never out of the middle', () => {
  fc.assert(
    fc.property(moves, (story) => {
      const { events, requests } = tell(story);
      let before: { readonly sent: readonly string[]; readonly count: number } = { sent: [], count: 0 };
      for (const count of requests) {
        const state = foldSession(events.slice(0, count));
        const sent = reasoningIn(renderPrompt(state, 'key'));
        const written = state.items.flatMap((item) =>
          item.kind === 'answer' && item.model === state.model && says(item.content)
            ? item.content.filter(isReasoning)
            : [],
        );
        const all = written.map((block) => JSON.stringify(block));
        expect(sent).toEqual(all.slice(all.length - sent.length));
        if (!events.slice(before.count, count).some(endsReasoning))
          expect(sent.slice(0, before.sent.length)).toEqual(before.sent);
        before = { sent, count };
      }
    }),
  );
});

function reasoningIn({ messages }: Prompt): readonly string[] {
  const all = messages.flatMap(({ blocks: own }): readonly (AssistantBlock | UserBlock)[] => own);
  return all.filter(({ kind }) => kind === 'opaque').map((block) => JSON.stringify(block));
}

function says(content: readonly AssistantBlock[]): boolean {
  return content.some((block) => block.kind === 'toolCall' || (block.kind === 'text' && block.text.trim() !== ''));
}

function endsReasoning({ event }: LoggedEvent): boolean {
  if (event.kind === 'context.trimmed') return event.endsReasoning === true;
  return event.kind === 'context.compacted' || event.kind === 'model.changed';
}

test('a summary is the first block, marked at its end, and what it replaced is gone', () => {
  const story = [
    created,
    turn,
    message('Go'),
    assistant('req_1', call('c1')),
    finished('c1', { shown: 'one' }),
    assistant('req_2', call('c2')),
    finished('c2', { shown: 'two' }),
    compactedThrough(5, 'In short.'),
  ];
  check(log(...story), {
    messages: [
      { role: 'user', blocks: [{ kind: 'text', text: 'In short.' }] },
      { role: 'assistant', blocks: [call('c2')] },
      { role: 'user', blocks: [toolResult('c2', 'two')] },
    ],
    marks: [
      { message: 0, block: 0 },
      { message: 2, block: 0 },
    ],
  });
  check(log(...story.slice(0, -1), compactedThrough(7), message('And now?')), {
    messages: [
      {
        role: 'user',
        blocks: [
          { kind: 'text', text: 'In short.' },
          { kind: 'text', text: 'And now?' },
        ],
      },
    ],
    marks: [
      { message: 0, block: 0 },
      { message: 0, block: 1 },
    ],
  });
});

test('a trim leaves of an old result its ends and its archive id, of a write what the tool accepts, and says so behind all', () => {
  const [head, tail] = ['h'.repeat(120), 't'.repeat(120)];
  const write = {
    kind: 'toolCall',
    callId: 'c2',
    name: 'write',
    inputJson: JSON.stringify({ path: 'b.ts', content: 'x'.repeat(1_000) }),
  } as never;
  const archiveId = '1a2b3c4d5e6f7a8b' as ArchiveId;
  const trimmed: SessionEvent = {
    kind: 'context.trimmed',
    turnId: turn.turnId,
    reason: 'old',
    calls: ['c1' as CallId, 'c3' as CallId],
    inputs: [{ callId: 'c2' as CallId, archiveId }],
    note: 'Cleared: c1.',
    keptFrom: 'req_3' as RequestId,
    entryAt: 'req_1' as RequestId,
    predicted: { cut: 1, read: 1, kept: 1, rewritten: 1, rent: 1, price: 1, costKept: 1, costTrimmed: 1 },
  };
  const story = [
    created,
    turn,
    message('Go'),
    assistant('req_1', call('c1')),
    finished('c1', { shown: head + 'm'.repeat(600) + tail, archiveId }),
    assistant('req_2', write, call('c3')),
    finished('c2', { shown: 'written' }),
    finished('c3', { shown: 'no body, never cut'.repeat(40) }),
    assistant('req_3', call('c4')),
    finished('c4', { shown: 'four' }),
    trimmed,
  ];
  const { messages, marks } = render(log(...story));
  const all = messages.flatMap((entry): readonly unknown[] => entry.blocks);
  expect(all[2]).toEqual(toolResult('c1', `${head}\n[840 bytes cleared: recall {"id":"1a2b3c4d5e6f"}]\n${tail}`));
  expect(all[3]).toMatchObject({
    inputJson: '{"path":"b.ts","content":"[1,000 bytes cleared; archive 1a2b3c4d5e6f]"}',
  });
  expect(all[6]).toEqual(toolResult('c3', 'no body, never cut'.repeat(40)));
  expect(all.at(-1)).toEqual({ kind: 'text', text: 'Cleared: c1.' });
  // Where the cache survives, the last block made final, and the newest tail.
  expect(marks).toEqual([
    { message: 0, block: 0 },
    { message: 4, block: 1 },
    { message: 6, block: 1 },
  ]);
  const next = render(log(...story, assistant('req_4', call('c5')), finished('c5')));
  expect(next.marks).toEqual([
    { message: 4, block: 1 },
    { message: 6, block: 1 },
    { message: 8, block: 0 },
  ]);
});

test('I2: the prompt is the same from a fold of the whole log and from one that grew event by event', () => {
  fc.assert(
    fc.property(moves, (story) => {
      const { events } = tell(story);
      expect(renderPrompt(events.reduce(applyEvent, emptySession), 'key')).toEqual(render(events));
    }),
  );
});

test('I3: a model that is chosen changes nothing of the prompt before it takes hold', () => {
  fc.assert(
    fc.property(moves, (story) => {
      const { events } = tell(story);
      expect(render(events.filter(({ event }) => event.kind !== 'model.chosen'))).toEqual(render(events));
    }),
  );
});

test('I12: whatever happened, calls are answered at once, roles alternate from user on, and texts are well-formed', () => {
  fc.assert(
    fc.property(moves, fc.nat(60), (story, cut) => {
      const { messages, marks } = render(tell(story).events.slice(0, cut));
      for (const [i, entry] of messages.entries()) expectValid(entry, messages[i - 1], i);
      for (const { message: at, block } of marks)
        expect(messages[at]?.blocks[block]?.kind).toMatch(/text|image|toolResult/);
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
