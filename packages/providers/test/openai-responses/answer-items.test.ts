import { expect, test } from '@jest/globals';
import type { AssistantBlock } from '@zerd/protocol/common/event';
import type { JsonObject } from '@zerd/protocol/common/json';
import {
  answered,
  answerOf,
  call,
  completed,
  done,
  headOfCall,
  headOfMessage,
  opaque,
  sentBack,
} from '../support/responses-answers.ts';
import { callItem, messageItem, reasoningItem } from '../support/responses-stream.ts';

test('a recorded answer goes back as it came, item by item', () => {
  const whole = { ...messageItem, content: [{ type: 'output_text', text: 'Grüße 世界 😀', annotations: [] }] };
  expect(sentBack(answered)).toEqual([reasoningItem, whole, callItem]);
});

test('after a change of model an answer goes back without reasoning, ids and phase', () => {
  expect(sentBack(answered.filter((block) => block.kind !== 'opaque'))).toEqual([
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Grüße 世界 😀', annotations: [] }] },
    { type: 'function_call', call_id: 'call_a', name: 'read', arguments: '{"path": "a.ts"}' },
  ]);
});

test('both phases of an answer are kept on their own message', () => {
  const message = (phase: string, text: string): JsonObject => ({
    id: `msg_${phase}`,
    type: 'message',
    status: 'completed',
    role: 'assistant',
    phase,
    content: [{ type: 'output_text', text, annotations: [] }],
  });
  const items = [message('commentary', 'I look.'), message('final_answer', 'Found.')];
  const { content, stopReason } = answerOf([...done(...items), completed()]);
  expect(sentBack(content)).toEqual(items);
  expect(stopReason).toBe('end');
});

const second: JsonObject = { ...reasoningItem, id: 'rs_2' };

const textOnly: JsonObject = {
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text: 'so', annotations: [] }],
};

test.each<[string, readonly AssistantBlock[], readonly JsonObject[]]>([
  ['reasoning that nothing follows', [{ kind: 'text', text: 'so' }, opaque(reasoningItem)], [textOnly]],
  ['reasoning alone', [opaque(reasoningItem), opaque(second)], []],
  ['reasoning whose message is empty', [opaque(reasoningItem), opaque(headOfMessage), { kind: 'text', text: ' ' }], []],
  ['a head whose block is gone', [opaque(headOfCall), { kind: 'text', text: 'so' }], [textOnly]],
  [
    'what another wire made',
    [
      { kind: 'opaque', wire: 'chat', json: '{"type":"reasoning"}' },
      { kind: 'text', text: 'so' },
    ],
    [textOnly],
  ],
  [
    'what is no JSON',
    [
      { kind: 'opaque', wire: 'responses', json: '{' },
      { kind: 'text', text: 'so' },
    ],
    [textOnly],
  ],
  [
    'a head of another block',
    [opaque(headOfMessage), call('call_a', 'read', '{}'), { kind: 'text', text: 'so' }],
    [{ type: 'function_call', call_id: 'call_a', name: 'read', arguments: '{}' }, textOnly],
  ],
])('%s does not go back', (_, blocks, expected) => {
  expect(sentBack(blocks)).toEqual(expected);
});

test('fields that hold nothing make no head', () => {
  const { content } = answerOf([...done({ ...textOnly, phase: null, status: null }), completed()]);
  expect(content).toEqual([{ kind: 'text', text: 'so' }]);
});

test('several reasoning items in a row and items of unknown kinds stay, in place', () => {
  const unknown = { type: 'compaction', id: 'cmp_1', encrypted_content: 'x' };
  const items = [reasoningItem, second, unknown, callItem];
  expect(sentBack(answerOf([...done(...items), completed()]).content)).toEqual(items);
});

test('reasoning that could never go back stateless is not kept; the text that open servers give instead is', () => {
  const bare = { ...reasoningItem, encrypted_content: null };
  const open = { type: 'reasoning', id: 'rs_3', summary: [], content: [{ type: 'reasoning_text', text: 'Hm.' }] };
  const cut = { ...reasoningItem, status: 'incomplete' };
  expect(sentBack(answerOf([...done(bare, open, cut, callItem), completed()]).content)).toEqual([open, callItem]);
  const last = answerOf([...done(callItem, reasoningItem), completed()]);
  expect(last.content.map((block) => block.kind)).toEqual(['opaque', 'toolCall']);
});

test('the encrypted part that only the closing event brings is taken from there', () => {
  const { encrypted_content: _, ...early } = reasoningItem;
  const chunks = [...done(early, callItem), completed({ output: [reasoningItem, callItem] })];
  expect(sentBack(answerOf(chunks).content)).toEqual([reasoningItem, callItem]);
});
