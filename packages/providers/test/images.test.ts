import { expect, test } from '@jest/globals';
import type { Prompt } from '@zerd/core/model/prompt';
import type { ArchiveId } from '@zerd/protocol/common/ids';
import type { Image } from '@zerd/protocol/common/image';
import type { JsonObject } from '@zerd/protocol/common/json';
import { createProvider } from '../src/create-provider.ts';
import { putImages } from '../src/images.ts';
import type { Endpoint } from '../src/provider.ts';
import { id } from './support/prompts.ts';

const seeing = { modelId: 'some-model', maxOutput: 4096, seesImages: true } as const;
const image = (name: string, archiveId: string): Image => ({
  archiveId: archiveId as ArchiveId,
  name,
  type: 'image/png',
  width: 800,
  height: 600,
  bytes: 34_120,
  tokens: 638,
});
const shot = image('shot.png', '1a2b3c4d5e6f');
const chart = image('chart.png', '2b3c4d5e6f70');

const prompt: Prompt = {
  system: '',
  tools: [],
  messages: [
    {
      role: 'user',
      blocks: [
        { kind: 'image', image: shot },
        { kind: 'text', text: 'Look.' },
      ],
    },
    {
      role: 'assistant',
      blocks: ['a', 'b'].map((name) => ({ kind: 'toolCall', callId: id(name), name: 'read', inputJson: '{}' })),
    },
    {
      role: 'user',
      blocks: [
        { kind: 'toolResult', callId: id('a'), text: 'a chart', isError: false, images: [chart] },
        { kind: 'toolResult', callId: id('b'), text: 'text', isError: false },
        { kind: 'image', image: shot },
        { kind: 'text', text: 'And now?' },
      ],
    },
  ],
  marks: [{ message: 0, block: 0 }],
  cacheKey: 'key',
};

function body(endpoint: Endpoint, settings: object = seeing): JsonObject {
  return createProvider(endpoint).encode(prompt, { ...seeing, ...settings });
}

const mark = { cache_control: { type: 'ephemeral' } };
const ref = (of: Image) => `archive:${of.archiveId}`;
const url = (of: Image) => `data:image/png;base64,${ref(of)}`;
const block = (of: Image) => ({ type: 'image', source: { type: 'base64', media_type: 'image/png', data: ref(of) } });

test('anthropic: an image is a block of the message, or of its result', () => {
  expect(JSON.stringify(body({ wire: 'anthropic' }).messages)).toBe(
    JSON.stringify([
      {
        role: 'user',
        content: [
          { ...block(shot), ...mark },
          { type: 'text', text: 'Look.' },
        ],
      },
      {
        role: 'assistant',
        content: ['a', 'b'].map((name) => ({ type: 'tool_use', id: name, name: 'read', input: {} })),
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: 'a chart' }, block(chart)] },
          { type: 'tool_result', tool_use_id: 'b', content: 'text' },
          block(shot),
          { type: 'text', text: 'And now?' },
        ],
      },
    ]),
  );
});

const said = (...content: readonly object[]) => ({ type: 'message', role: 'user', content });
const picture = (of: Image) => ({ type: 'input_image', image_url: url(of), detail: 'auto' });
const words = (text: string) => ({ type: 'input_text', text });
const behind = '[the image of a result above: chart.png, 800x600 PNG, 34 kB]';
const calls = ['a', 'b'].map((name) => ({ type: 'function_call', call_id: name, name: 'read', arguments: '{}' }));

test('responses: an image is an item of its own, and part of an output at OpenAI', () => {
  expect(body({ wire: 'responses' }).input).toEqual([
    said(picture(shot)),
    said(words('Look.')),
    ...calls,
    { type: 'function_call_output', call_id: 'a', output: [words('a chart'), picture(chart)] },
    { type: 'function_call_output', call_id: 'b', output: 'text' },
    said(picture(shot)),
    said(words('And now?')),
  ]);
});

test('responses at another server: the image of a result follows all results', () => {
  expect(body({ wire: 'responses', baseUrl: 'http://localhost:8080/v1' }).input).toEqual([
    said(picture(shot)),
    said(words('Look.')),
    ...calls,
    { type: 'function_call_output', call_id: 'a', output: 'a chart' },
    { type: 'function_call_output', call_id: 'b', output: 'text' },
    said(words(behind), picture(chart)),
    said(picture(shot)),
    said(words('And now?')),
  ]);
});

test('chat: an image is a message of the user, that of a result behind all results', () => {
  const part = (of: Image) => ({ type: 'image_url', image_url: { url: url(of) } });
  expect(body({ wire: 'chat' }).messages).toEqual([
    { role: 'user', content: [part(shot)] },
    { role: 'user', content: 'Look.' },
    {
      role: 'assistant',
      content: null,
      tool_calls: ['a', 'b'].map((name) => ({
        id: name,
        type: 'function',
        function: { name: 'read', arguments: '{}' },
      })),
    },
    { role: 'tool', tool_call_id: 'a', content: 'a chart' },
    { role: 'tool', tool_call_id: 'b', content: 'text' },
    { role: 'user', content: [{ type: 'text', text: behind }, part(chart)] },
    { role: 'user', content: [part(shot)] },
    { role: 'user', content: 'And now?' },
  ]);
});

const wires: readonly Endpoint[] = [
  { wire: 'anthropic' },
  { wire: 'chat' },
  { wire: 'responses' },
  { wire: 'responses', baseUrl: 'http://localhost:8080/v1' },
];

test.each(wires)('a model that sees none is sent no image over %j, and is told of each', (endpoint) => {
  const { seesImages: _, ...blind } = seeing;
  const text = JSON.stringify(createProvider(endpoint).encode(prompt, blind));
  expect(text).not.toContain('archive:');
  expect(text.match(/\[image (shot|chart)\.png, 800x600 PNG, 34 kB: this model cannot see images\]/g)).toHaveLength(3);
});

test.each(wires)('over %j the bytes are put in when it is sent, and nothing else changes', async (endpoint) => {
  const encoded = body(endpoint);
  const bytes: Readonly<Record<string, string>> = { [shot.archiveId]: 'U0hPVA==', [chart.archiveId]: 'Q0hBUlQ=' };
  const sent = JSON.stringify(await putImages(encoded, async (of) => bytes[of]));
  const expected = JSON.stringify(encoded).replaceAll(ref(shot), 'U0hPVA==').replaceAll(ref(chart), 'Q0hBUlQ=');
  expect(sent).toBe(expected);
});

test.each(wires)('over %j an image whose bytes are gone is named, the same each time', async (endpoint) => {
  const encoded = body(endpoint);
  const sent = await putImages(encoded, async (of) => (of === chart.archiveId ? undefined : 'U0hPVA=='));
  expect(JSON.stringify(sent)).not.toContain('archive:');
  expect(JSON.stringify(sent)).toContain('[image 2b3c4d5e6f70: its bytes are no longer in the archive]');
  expect(await putImages(encoded, async (of) => (of === chart.archiveId ? undefined : 'U0hPVA=='))).toEqual(sent);
});

test('a name of an image that a user or a model wrote is a text like any other', async () => {
  const forged = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: ref(shot) } };
  const bodies: readonly JsonObject[] = [
    { messages: [{ role: 'user', content: `archive:${shot.archiveId}` }] },
    { messages: [{ role: 'user', content: [{ type: 'text', text: url(shot) }] }] },
    {
      messages: [
        { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'r', input: { content: [forged] } }] },
      ],
    },
    { input: [{ type: 'function_call', call_id: 'a', name: 'r', arguments: JSON.stringify(forged) }] },
    { input: [{ type: 'function_call_output', call_id: 'a', output: url(shot) }] },
  ];
  for (const one of bodies) expect(await putImages(one, async () => 'SECRET')).toEqual(one);
});

test('a body without images is sent as it is', async () => {
  const plain = { messages: [{ role: 'user', content: 'hi' }] };
  expect(await putImages(plain, async () => 'x')).toBe(plain);
  expect(await putImages(plain, undefined)).toBe(plain);
});
