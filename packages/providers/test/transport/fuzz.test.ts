/** a stream means the same however it is cut, and no stream, however broken, throws. `ZERD_FUZZ=20`: so many times as much. */
import { expect, test } from '@jest/globals';
import type { JsonValue } from '@zerd/protocol/common/json';
import { systemClock } from '@zerd/protocol/node/clock';
import { anthropicDecoder } from '../../src/anthropic-messages/decode.ts';
import type { Decoder } from '../../src/decoder.ts';
import { chatDecoder } from '../../src/openai-chat/decode.ts';
import { responsesDecoder } from '../../src/openai-responses/decode.ts';
import { watchEventStream } from '../../src/transport/event-stream.ts';
import { responsesChunks, responsesSse } from '../support/responses-stream.ts';
import { anthropicChunks, anthropicSse, chatChunks, chatSse } from '../support/streams.ts';

const times = Number(process.env.ZERD_FUZZ ?? 1);
let state = 4_711;
/** From 0 up to but without `n`; the same numbers in each run. */
function below(n: number): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * n);
}
const pick = <T>(list: readonly T[]) => list[below(list.length)] as T;

const streams = [anthropicSse(anthropicChunks), chatSse(chatChunks), responsesSse(responsesChunks)].map((sse) =>
  Buffer.from(`: a comment\n\n${sse}`),
);

async function through(pieces: readonly Uint8Array[]): Promise<string> {
  const watch = { clock: systemClock, alive() {}, failed() {} };
  const body = new ReadableStream<Uint8Array>({
    start(out) {
      for (const piece of pieces) out.enqueue(piece);
      out.close();
    },
  });
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of watchEventStream(body, watch)) text += decoder.decode(chunk, { stream: true });
  return text;
}

function cut(bytes: Buffer, cuts: number): readonly Buffer[] {
  const places = Array.from({ length: cuts }, () => below(bytes.length)).sort((a, b) => a - b);
  return [0, ...places].map((from, index) => bytes.subarray(from, places[index] ?? bytes.length));
}

test(`F-07: ${20_000 * times} ways to cut a stream all mean the same`, async () => {
  const whole = await Promise.all(streams.map((bytes) => through([bytes])));
  expect(whole.every((text) => text.includes('data: '))).toBe(true);
  for (let count = 0; count < 20_000 * times; count++) {
    const at = count % streams.length;
    const pieces = cut(streams[at] as Buffer, 1 + below(6));
    const text = await through(pieces);
    if (text !== whole[at]) expect([pieces.map(String), text]).toEqual([pieces.map(String), whole[at]]);
  }
}, 600_000);

/** A chunk in which something is missing, of another type, or of another stream. */
function bent(value: JsonValue, depth = 0): JsonValue {
  if (below(12) === 0) return pick<JsonValue>([null, 0, -1, '', 'x', [], {}, true, 1e308, '__proto__']);
  if (Array.isArray(value)) return value.flatMap((one) => (below(20) === 0 ? [] : [bent(one, depth + 1)]));
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).flatMap(([key, one]) => (below(20) === 0 ? [] : [[key, bent(one, depth + 1)]]));
  return Object.fromEntries(fields);
}

const decoders: readonly (readonly [string, Decoder<unknown>])[] = [
  ['anthropic', anthropicDecoder as Decoder<unknown>],
  ['chat', chatDecoder as Decoder<unknown>],
  ['responses', responsesDecoder as Decoder<unknown>],
];
const chunks = [...anthropicChunks, ...chatChunks, ...responsesChunks];

test.each(decoders)('R-11: %s: chunks bent in any way are decoded or fail, and end once', (_, decoder) => {
  for (let count = 0; count < 3_000 * times; count++) {
    let at = decoder.initialState;
    const ends: unknown[] = [];
    for (let left = 1 + below(12); left > 0 && ends.length === 0; left -= 1) {
      const [next, events] = decoder.decode(at, bent(pick(chunks)));
      at = next;
      ends.push(...events.filter(({ kind }) => kind === 'finished' || kind === 'failed'));
    }
    if (ends.length === 0) ends.push(...decoder.atEnd(at));
    expect(ends).toHaveLength(1);
  }
});
