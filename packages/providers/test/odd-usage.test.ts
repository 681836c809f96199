import { expect, test } from '@jest/globals';
import type { JsonObject, JsonValue } from '@zerd/protocol/common/json';
import { type Usage, usageSchema } from '@zerd/protocol/common/usage';
import fc from 'fast-check';
import { anthropicDecoder } from '../src/anthropic-messages/decode.ts';
import { usageOf as anthropic, noCounts, readCounts } from '../src/anthropic-messages/usage.ts';
import { chatDecoder } from '../src/openai-chat/decode.ts';
import { billedPicoOf, usageOf as chat } from '../src/openai-chat/usage.ts';
import { responsesDecoder } from '../src/openai-responses/decode.ts';
import { usageOf as responses } from '../src/openai-responses/usage.ts';
import { decodeAll } from './support/collect.ts';
import { responsesChunks } from './support/responses-stream.ts';
import { anthropicChunks, chatChunks } from './support/streams.ts';

const readers: readonly [string, (usage: JsonObject) => Usage][] = [
  ['anthropic', (usage) => anthropic(readCounts(noCounts, usage))],
  ['responses', responses],
  ['chat', chat],
];

const figure: fc.Arbitrary<JsonValue> = fc.oneof(
  fc.integer({ min: -5, max: 200_000 }),
  fc.double({ noDefaultInfinity: true, noNaN: true }),
  fc.constantFrom<JsonValue>(1e300, -1, 0.5, '12', null, true, [], {}),
);
const details = fc.dictionary(
  fc.constantFrom(
    'cached_tokens',
    'cache_write_tokens',
    'reasoning_tokens',
    'ephemeral_1h_input_tokens',
    'thinking_tokens',
  ),
  figure,
);
const reported = fc.dictionary(
  fc.constantFrom(
    ...['input_tokens', 'output_tokens', 'prompt_tokens', 'completion_tokens', 'total_tokens', 'cached_tokens'],
    ...['cache_read_input_tokens', 'cache_creation_input_tokens', 'prompt_cache_hit_tokens', 'cost'],
  ),
  figure,
);
const nested = fc.dictionary(
  fc.constantFrom(
    ...['input_tokens_details', 'prompt_tokens_details', 'output_tokens_details'],
    ...['completion_tokens_details', 'cache_creation'],
  ),
  fc.oneof(details, figure),
);

test.each(readers)(
  'whatever %s reports, what is kept are whole tokens, none below 0, and a cache within the prompt',
  (_wire, read) => {
    fc.assert(
      fc.property(reported, nested, (flat, deep) => {
        const usage = read({ ...flat, ...deep });
        expect(usageSchema.safeParse(usage).success).toBe(true);
        const figures = Object.values(usage).filter((value) => typeof value === 'number');
        expect(figures.filter((value) => !Number.isSafeInteger(value) || value < 0 || value > 3e12)).toEqual([]);
        const billed = billedPicoOf(flat as JsonObject);
        expect(billed === undefined || (Number.isSafeInteger(billed) && billed >= 0)).toBe(true);
      }),
      { numRuns: 500 },
    );
  },
);

test.each<[string, JsonObject, Partial<Usage>]>([
  [
    'more from the cache than there is',
    { prompt_tokens: 100, prompt_tokens_details: { cached_tokens: 900 } },
    { uncached: 0, cacheRead: 100 },
  ],
  ['a debt', { prompt_tokens: -100, completion_tokens: -3 }, { reported: false }],
  ['halves', { prompt_tokens: 99.6, completion_tokens: 1.2 }, { uncached: 100, output: 1 }],
  ['words', { prompt_tokens: '100', completion_tokens: 'many' }, { reported: false }],
  ['more than there is in the world', { prompt_tokens: 1e300, completion_tokens: 5 }, { uncached: 0, output: 5 }],
  ['nothing', {}, { reported: false }],
])('a chat endpoint that reports %s', (_name, usage, expected) => {
  expect(chat(usage)).toMatchObject(expected);
});

type Decoded = ReturnType<typeof decodeAll>;

test('as what a request was served is read where each wire says it', () => {
  const tierOf = (events: Decoded) =>
    events.flatMap((event) => (event.kind === 'finished' ? [event.answer.usage.tier] : []));
  const withField = (chunks: readonly JsonValue[], type: string, at: (chunk: JsonObject) => JsonObject) =>
    chunks.map((chunk) => ((chunk as JsonObject).type === type ? at(chunk as JsonObject) : chunk));
  const message = withField(anthropicChunks, 'message_start', (chunk) => {
    const head = chunk.message as JsonObject;
    return { ...chunk, message: { ...head, usage: { ...(head.usage as JsonObject), service_tier: 'priority' } } };
  });
  expect(tierOf(decodeAll(anthropicDecoder, message))).toEqual(['priority']);
  const completed = withField(responsesChunks, 'response.completed', (chunk) => ({
    ...chunk,
    response: { ...(chunk.response as JsonObject), service_tier: 'flex' },
  }));
  expect(tierOf(decodeAll(responsesDecoder, completed))).toEqual(['flex']);
  const [first, ...rest] = chatChunks;
  expect(tierOf(decodeAll(chatDecoder, [{ ...(first as JsonObject), service_tier: 'priority' }, ...rest]))).toEqual([
    'priority',
  ]);
  expect(tierOf(decodeAll(chatDecoder, chatChunks))).toEqual([undefined]);
});
