import { expect, test } from '@jest/globals';
import { maxCalls, maxInputBytes, normaliseAnswer } from '@zerd/core/model/normalise-answer';
import { wellFormed } from '@zerd/core/text/utf8';
import type { AssistantBlock } from '@zerd/protocol/common/event';
import type { CallId } from '@zerd/protocol/common/ids';
import fc from 'fast-check';

const call = (callId: string, inputJson = '{}'): AssistantBlock => ({
  kind: 'toolCall',
  callId: callId as CallId,
  name: 'read',
  inputJson,
});
const ids = (blocks: readonly AssistantBlock[]) =>
  blocks.flatMap((block) => (block.kind === 'toolCall' ? [block.callId] : []));

test('ids that came twice, or in an earlier answer, are made unique and stay readable (F-13)', () => {
  const used = new Set(['call_1'] as CallId[]);
  expect(ids(normaliseAnswer([call('call_1'), call('a'), call('a'), call('a')], used))).toEqual([
    'call_1_2',
    'a',
    'a_2',
    'a_3',
  ]);
});

test('an id of strange characters or length becomes one that every provider takes', () => {
  expect(ids(normaliseAnswer([call('functions.read:0'), call(''), call('x'.repeat(99))], new Set()))).toEqual([
    'functions_read_0',
    'call',
    'x'.repeat(56),
  ]);
});

test('arguments beyond the limit are dropped and the call is marked as broken (F-13)', () => {
  const long = JSON.stringify({ content: 'x'.repeat(maxInputBytes) });
  expect(normaliseAnswer([call('a', long)], new Set())).toEqual([
    { ...call('a'), broken: `the arguments exceed ${maxInputBytes} bytes` },
  ]);
});

test('a model in a loop gets no more calls than the limit, and one that tells it so', () => {
  const made = (count: number) => Array.from({ length: count }, (_, i) => call(`c${i}`));
  const broken = (n: string) => `${n} of this answer beyond the first ${maxCalls} came to nothing`;
  const normal = (count: number) => normaliseAnswer(made(count), new Set());
  expect(normal(maxCalls)).toEqual(made(maxCalls));
  expect(normal(maxCalls + 1)).toEqual([...made(maxCalls), { ...call(`c${maxCalls}`), broken: broken('1 call') }]);
  expect(normal(1_000)).toEqual([...made(maxCalls), { ...call(`c${maxCalls}`), broken: broken('872 calls') }]);
});

test('a name that is cut at its limit, or whose arguments are dropped, stays well-formed', () => {
  const name = `${'n'.repeat(63)}\u{1f600}`;
  const long = JSON.stringify({ content: 'x'.repeat(maxInputBytes) });
  const names = [call('a'), call('b', long)].map((one) => ({ ...one, name }));
  expect(normaliseAnswer(names, new Set())).toMatchObject([
    { name: `${'n'.repeat(63)}\ufffd` },
    { name: `${'n'.repeat(63)}\ufffd` },
  ]);
});

test('reasoning is left exactly as it came', () => {
  const opaque: AssistantBlock = {
    kind: 'opaque',
    wire: 'anthropic',
    json: '{"type":"thinking","thinking":"","signature":"s"}',
  };
  expect(normaliseAnswer([opaque], new Set())).toEqual([opaque]);
});

test('whatever arrives: ids are unique and of the accepted form, and texts are well-formed', () => {
  const text = fc.string({ unit: 'binary' });
  fc.assert(
    fc.property(fc.array(text), fc.array(text), (received, before) => {
      const out = normaliseAnswer(
        [...received.map((id) => call(id)), { kind: 'text', text: `\ud800${received.join('')}` }],
        new Set(before as CallId[]),
      );
      const found = ids(out);
      expect(new Set([...found, ...before]).size).toBe(found.length + new Set(before).size);
      for (const id of found) expect(id).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
      for (const block of out) if (block.kind === 'text') expect(wellFormed(block.text)).toBe(block.text);
    }),
  );
});
