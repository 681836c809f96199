/** Prompts for tests: one that shows everything, and arbitrary ones. */
import type { Prompt, PromptMessage, UserBlock } from '@zerd/core/model/prompt';
import type { AssistantBlock } from '@zerd/protocol/common/event';
import type { CallId } from '@zerd/protocol/common/ids';
import fc from 'fast-check';

export const settings = { modelId: 'some-model', maxOutput: 4096 };

export const tools: Prompt['tools'] = [
  { name: 'read', description: 'Reads.', inputSchema: { type: 'object', properties: { path: { type: 'string' } } } },
  { name: 'find', description: 'Finds.', inputSchema: { type: 'object' } },
];

export function id(text: string): CallId {
  return text as CallId;
}

export const signed = '{"type":"thinking","thinking":"Look first.","signature":"EqQBCg=="}';
export const redacted = '{"type":"redacted_thinking","data":"b3BhcXVl"}';

/** Facts and text; reasoning of two wires, an empty text, two calls; results and a further message. */
export const fullPrompt: Prompt = {
  system: 'Be brief.',
  tools,
  messages: [
    {
      role: 'user',
      blocks: [
        { kind: 'text', text: 'folder /repo' },
        { kind: 'text', text: 'Fix it.' },
      ],
    },
    {
      role: 'assistant',
      blocks: [
        { kind: 'opaque', wire: 'anthropic', json: signed },
        { kind: 'opaque', wire: 'anthropic', json: redacted },
        { kind: 'opaque', wire: 'chat', json: '{"field":"reasoning_content","text":"Look first."}' },
        { kind: 'text', text: '\n' },
        { kind: 'text', text: 'I look.' },
        { kind: 'toolCall', callId: id('call_1'), name: 'read', inputJson: '{ "path": "b.ts", "a": 1.0 }' },
        { kind: 'toolCall', callId: id('call_2'), name: 'made up!', inputJson: '{}', broken: 'cut' },
      ],
    },
    {
      role: 'user',
      blocks: [
        { kind: 'toolResult', callId: id('call_1'), text: 'text \ud800', isError: false },
        { kind: 'toolResult', callId: id('call_2'), text: '', isError: true },
        { kind: 'text', text: 'And quickly.' },
      ],
    },
  ],
  marks: [
    { message: 0, block: 1 },
    { message: 1, block: 2 },
    { message: 2, block: 2 },
  ],
  cacheKey: 'key-of-the-prefix',
};

/** Whole characters and halves of them. */
const text = fc.string({ unit: 'binary', maxLength: 20 }).map((chars) => chars);
const anyText = fc.oneof(text, fc.constantFrom('', ' \n', '\ud83d', 'a\udc00b', '\ud83d\ude00'));

const opaque: fc.Arbitrary<AssistantBlock> = fc.constantFrom<AssistantBlock>(
  { kind: 'opaque', wire: 'anthropic', json: signed },
  { kind: 'opaque', wire: 'anthropic', json: redacted },
  { kind: 'opaque', wire: 'chat', json: '{"field":"reasoning","text":"Hm."}' },
  {
    kind: 'opaque',
    wire: 'chat',
    json: '{"field":"extra_content","call":0,"value":{"google":{"thought_signature":"s"}}}',
  },
  { kind: 'opaque', wire: 'responses', json: '{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"x"}' },
  {
    kind: 'opaque',
    wire: 'responses',
    json: '{"type":"message","id":"msg_1","role":"assistant","phase":"commentary"}',
  },
  { kind: 'opaque', wire: 'responses', json: '{"type":"function_call","id":"fc_1"}' },
);

const call = fc.record({
  input: fc.dictionary(anyText, fc.oneof(anyText, fc.integer(), fc.array(anyText, { maxLength: 2 })), { maxKeys: 3 }),
});

/** An exchange: the model answers with calls, then every call has its result, and the user may add words. */
const exchange = fc
  .record({
    opaques: fc.array(opaque, { maxLength: 2 }),
    said: anyText,
    calls: fc.array(call, { minLength: 1, maxLength: 3 }),
    shown: anyText,
    more: fc.option(anyText),
  })
  .map(({ opaques, said, calls, shown, more }) => (n: number): readonly PromptMessage[] => {
    const callBlocks = calls.map(
      ({ input }, i): AssistantBlock => ({
        kind: 'toolCall',
        callId: id(`call_${n}_${i}`),
        name: 'read',
        inputJson: JSON.stringify(input),
      }),
    );
    const results = calls.map(
      (_, i): UserBlock => ({ kind: 'toolResult', callId: id(`call_${n}_${i}`), text: shown, isError: i === 1 }),
    );
    return [
      { role: 'assistant', blocks: [...opaques, { kind: 'text', text: said }, ...callBlocks] },
      { role: 'user', blocks: [...results, ...(more === null ? [] : [{ kind: 'text', text: more } as const])] },
    ];
  });

/** A prompt, and the same with messages appended and its marks moved on. */
export const growing: fc.Arbitrary<{ readonly before: Prompt; readonly after: Prompt }> = fc
  .record({
    first: anyText,
    system: anyText,
    exchanges: fc.array(exchange, { minLength: 1, maxLength: 5 }),
    cut: fc.nat(4),
  })
  .map(({ first, system, exchanges, cut }) => {
    const begin: PromptMessage = { role: 'user', blocks: [{ kind: 'text', text: first }] };
    const messages = [begin, ...exchanges.flatMap((make, n) => make(n))];
    const earlier = messages.slice(0, 1 + 2 * Math.min(cut, exchanges.length));
    return { before: promptOf(system, earlier), after: promptOf(system, messages) };
  });

function promptOf(system: string, messages: readonly PromptMessage[]): Prompt {
  const ends = messages.flatMap((message, i) =>
    message.role === 'user' ? [{ message: i, block: message.blocks.length - 1 }] : [],
  );
  return { system, tools, messages, marks: ends.slice(-2), cacheKey: 'key' };
}
