import { expect, test } from '@jest/globals';
import type { ModelEvent } from '@zerd/core/model/answer';
import type { JsonValue } from '@zerd/protocol/common/json';
import fc from 'fast-check';
import { anthropicDecoder } from '../../src/anthropic-messages/decode.ts';
import { createProvider } from '../../src/create-provider.ts';
import { chatDecoder } from '../../src/openai-chat/decode.ts';
import { responsesDecoder } from '../../src/openai-responses/decode.ts';
import type { Provider } from '../../src/provider.ts';
import { decodeAll, essence, run } from '../support/collect.ts';
import { eventStream, type Gateway, startGateway } from '../support/gateway.ts';
import { responsesChunks, responsesSse } from '../support/responses-stream.ts';
import { anthropicChunks, anthropicSse, chatChunks, chatSse } from '../support/streams.ts';

interface Story {
  readonly sse: string;
  readonly events: readonly ModelEvent[];
  readonly provider: (gateway: Gateway) => Provider;
}

function anthropicStory(chunks: readonly JsonValue[]): Story {
  return {
    sse: anthropicSse(chunks),
    events: essence(decodeAll(anthropicDecoder, chunks)),
    provider: ({ url }) => createProvider({ wire: 'anthropic', baseUrl: url, apiKey: 'key' }),
  };
}

function chatStory(chunks: readonly JsonValue[]): Story {
  return {
    sse: chatSse(chunks),
    events: essence(decodeAll(chatDecoder, chunks)),
    provider: ({ url }) => createProvider({ wire: 'chat', baseUrl: `${url}/v1`, apiKey: 'key' }),
  };
}

function responsesStory(chunks: readonly JsonValue[]): Story {
  return {
    sse: responsesSse(chunks),
    events: essence(decodeAll(responsesDecoder, chunks)),
    provider: ({ url }) => createProvider({ wire: 'responses', baseUrl: `${url}/v1`, apiKey: 'key' }),
  };
}

/** Sends the bytes in these pieces; chunked encoding keeps them apart up to the parser. */
async function sentAs(gateway: Gateway, provider: Provider, pieces: readonly Buffer[]): Promise<readonly ModelEvent[]> {
  gateway.respond((response) => {
    eventStream(response);
    for (const piece of pieces) response.write(piece);
    response.end();
  });
  return essence(await run(provider).ended);
}

/** Short, as every offset of it is a request. */
const shortAnthropic: readonly JsonValue[] = [
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'ü世😀' } },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 5 } },
  { type: 'message_stop' },
];
const shortChat: readonly JsonValue[] = [
  { choices: [{ index: 0, delta: { content: 'ü世😀' } }] },
  { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
];
const shortResponses: readonly JsonValue[] = [
  { type: 'response.output_text.delta', output_index: 0, delta: 'ü世😀' },
  { type: 'response.output_item.done', output_index: 0, item: { type: 'message', content: [{ text: 'ü世😀' }] } },
  { type: 'response.completed', response: { usage: { input_tokens: 1, output_tokens: 1 } } },
];

test.each<[string, Story]>([
  ['anthropic', anthropicStory(shortAnthropic)],
  ['chat', chatStory(shortChat)],
  ['responses', responsesStory(shortResponses)],
])('F-07 on %s: cut at any offset, also inside a character, the events are the same', async (_, story) => {
  await using gateway = await startGateway();
  const provider = story.provider(gateway);
  const bytes = Buffer.from(story.sse.replaceAll('\n', '\r\n'));
  for (let at = 1; at < bytes.length; at += 1) {
    const events = await sentAs(gateway, provider, [bytes.subarray(0, at), bytes.subarray(at)]);
    if (JSON.stringify(events) !== JSON.stringify(story.events))
      expect({ at, events }).toEqual({ at, events: story.events });
  }
});

/** The frames with each line end, comment and break of data as the seed has it. */
function bent(sse: string, bends: readonly number[]): Buffer {
  let n = 0;
  const next = () => bends[n++ % bends.length] ?? 0;
  const lines = sse.split('\n').flatMap((line) => {
    const comment = next() % 5 === 0 ? [': {"not": "json'] : [];
    const data = line.startsWith('data: {') && next() % 3 === 0 ? ['data: {', `data:${line.slice(7)}`] : [line];
    return [...comment, ...data];
  });
  const ends = ['\n', '\r\n', '\r'];
  let text = '';
  for (const line of lines.slice(0, -1)) {
    const end = ends[next() % 3] ?? '\n';
    // CR, then LF for an empty line would read as one line end.
    text += line === '' && text.endsWith('\r') && end === '\n' ? '\r\n' : line + end;
  }
  return Buffer.from(next() % 2 === 0 ? `\ufeff${text}` : text);
}

test.each<[string, Story]>([
  ['anthropic', anthropicStory(anthropicChunks)],
  ['chat', chatStory(chatChunks)],
  ['responses', responsesStory(responsesChunks)],
])(
  'F-07 on %s: mixed line ends, comments, a byte order mark, two data lines, any pieces: the events are the same',
  async (_, story) => {
    await using gateway = await startGateway();
    const provider = story.provider(gateway);
    const bends = fc.array(fc.nat(29), { minLength: 1, maxLength: 40 });
    const cuts = fc.array(fc.nat(20_000), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(bends, cuts, async (how, where) => {
        const bytes = bent(story.sse, how);
        const at = [0, ...where.map((cut) => cut % bytes.length).sort((a, b) => a - b), bytes.length];
        const pieces = at.slice(1).map((end, i) => bytes.subarray(at[i], end));
        expect(
          await sentAs(
            gateway,
            provider,
            pieces.filter((piece) => piece.length > 0),
          ),
        ).toEqual(story.events);
      }),
      { numRuns: 60 },
    );
  },
);

test.each([
  'some words',
  'a field: of nobody',
  '  data: {"no": "field"}',
  '{"json": 1}',
  '<p>',
  'data',
  'event',
  'oops',
])('a line in the middle of a stream that is no known field is passed over, as the standard says: %j', async (line) => {
  await using gateway = await startGateway();
  for (const { sse, provider, events } of [
    anthropicStory(anthropicChunks),
    chatStory(chatChunks),
    responsesStory(responsesChunks),
  ]) {
    const frames = sse.split('\n\n');
    const junk = [...frames.slice(0, 2), line, ...frames.slice(2)].join('\n\n');
    expect(await sentAs(gateway, provider(gateway), [Buffer.from(junk)])).toEqual(events);
    const inside = sse.replace('\n\n', `\n${line === 'data' ? 'id' : line}\n\n`);
    expect(await sentAs(gateway, provider(gateway), [Buffer.from(inside)])).toEqual(events);
  }
});

test('F-07: a line of 5 MB comes through whole', async () => {
  await using gateway = await startGateway();
  const text = 'é'.repeat(2_500_000);
  const chunks: readonly JsonValue[] = [{ choices: [{ index: 0, delta: { content: text }, finish_reason: 'stop' }] }];
  const story = chatStory(chunks);
  const bytes = Buffer.from(story.sse);
  const pieces = Array.from({ length: Math.ceil(bytes.length / 65_536) }, (_, i) =>
    bytes.subarray(i * 65_536, (i + 1) * 65_536),
  );
  const events = await sentAs(gateway, story.provider(gateway), pieces);
  expect(events.at(-1)).toMatchObject({ kind: 'finished', answer: { content: [{ kind: 'text', text }] } });
});
