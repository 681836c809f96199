import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isZerdError } from '../../src/common/errors.ts';
import {
  createFrameReader,
  encodeFrame,
  type FrameLimits,
  type RpcMessage,
  requestLimits,
} from '../../src/node/framing.ts';

const small: FrameLimits = { headerBytes: 40, messageBytes: 200, depth: 4 };

interface Outcome {
  readonly messages: readonly RpcMessage[];
  readonly refused: string | undefined;
}

/** What comes out when the bytes arrive in these pieces. */
function read(pieces: readonly Uint8Array[], limits = small): Outcome {
  const messages: RpcMessage[] = [];
  const frames = createFrameReader(limits, (message) => messages.push(message));
  try {
    for (const piece of pieces) frames.push(piece);
    return { messages, refused: undefined };
  } catch (error) {
    return { messages, refused: isZerdError(error) ? error.code : String(error) };
  }
}

function splitAt(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const at = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return at.slice(1).map((end, i) => bytes.subarray(at[i], end));
}

const note = (params: unknown) => ({ jsonrpc: '2.0' as const, method: 'm', params });
const raw = (text: string) => Buffer.from(text, 'latin1');
const framed = (body: string) => raw(`Content-Length: ${body.length}\r\n\r\n${body}`);

test('a stream cut at every single offset gives the same messages', () => {
  const messages = [note({ a: 'ä€😀', b: ['[{"', '\\"'] }), note([]), note({ deep: [{}] })];
  const bytes = Buffer.concat(messages.map(encodeFrame));
  for (let cut = 0; cut <= bytes.length; cut++) {
    expect(read([bytes.subarray(0, cut), bytes.subarray(cut)])).toEqual({ messages, refused: undefined });
  }
});

test('however a stream of messages is split, the same messages come out', () => {
  const message = fc.jsonValue({ maxDepth: 2 }).map(note);
  const property = fc.property(fc.array(message), fc.array(fc.nat(), { maxLength: 30 }), (messages, cuts) => {
    const bytes = Buffer.concat(messages.map(encodeFrame));
    const expected = JSON.parse(JSON.stringify(messages));
    expect(read(splitAt(bytes, cuts), requestLimits)).toEqual({ messages: expected, refused: undefined });
  });
  fc.assert(property);
});

test('however garbage is split, the same is refused at the same message', () => {
  const good = fc.jsonValue({ maxDepth: 1 }).map((value) => encodeFrame(note(value)));
  const nearly = fc.string({ maxLength: 30 }).map((body) => framed(body));
  const header = fc.string({ maxLength: 60 }).map((text) => raw(`${text}\r\n\r\n`));
  const bytes = fc.uint8Array({ maxLength: 100 });
  const piece = fc.oneof(good, nearly, header, bytes, fc.constant(raw('Content-Length: 5\r\n\r\n[[[[[')));
  const property = fc.property(fc.array(piece), fc.array(fc.nat(), { maxLength: 30 }), (pieces, cuts) => {
    const whole = Buffer.concat(pieces);
    expect(read(splitAt(whole, cuts))).toEqual(read([whole]));
  });
  fc.assert(property);
});

function check(name: string, bytes: Uint8Array, expected: Outcome, limits = small): void {
  test(name, () => {
    expect(read([bytes], limits)).toEqual(expected);
    expect(
      read(
        [...bytes].map((byte) => Uint8Array.of(byte)),
        limits,
      ),
    ).toEqual(expected);
  });
}

const nothing = (refused: string | undefined): Outcome => ({ messages: [], refused });
const one: Outcome = { messages: [note([[1]])], refused: undefined };
const nested = (depth: number) =>
  `{"jsonrpc":"2.0","method":"m","params":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
const sized = (bytes: number) => framed(`{"jsonrpc":"2.0","method":"${'x'.repeat(bytes - 29)}"}`);

check('an unfinished header is waited for', raw('Content-Length: 5'), nothing(undefined));
check('an unfinished body is waited for', raw('Content-Length: 50\r\n\r\n{"jsonrpc"'), nothing(undefined));
check(
  'header names are matched in any case',
  raw('content-LENGTH:45 \r\n\r\n{"jsonrpc":"2.0","method":"m","params":[[1]]}'),
  one,
);
check('other headers are let pass', raw(`X-A: b\r\nContent-Length: 45\r\n\r\n${JSON.stringify(note([[1]]))}`), one);
check('a header without a length is refused', raw('X-A: b\r\n\r\n'), nothing('parse_error'));
check('an empty header is refused', raw('\r\n\r\n\r\n\r\n'), nothing('parse_error'));
check('two lengths are refused', raw('Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}'), nothing('parse_error'));
check('a negative length is refused', raw('Content-Length: -2\r\n\r\n{}'), nothing('parse_error'));
check('a length in hexadecimal is refused', raw('Content-Length: 0x2\r\n\r\n{}'), nothing('parse_error'));
check('a line that is no header is refused', raw('GET / HTTP/1.1\r\n\r\n'), nothing('parse_error'));
check('a header at the limit is taken', raw(`X-A: ${'b'.repeat(15)}\r\nContent-Length: 9\r\n\r\n`), nothing(undefined));
check(
  'a header over the limit is refused',
  raw(`X-A: ${'b'.repeat(17)}\r\nContent-Length: 9\r\n\r\n`),
  nothing('message_too_large'),
);
check('a header without end is refused at the limit', raw('x'.repeat(44)), nothing('message_too_large'));
check('a message at the size limit is taken', sized(200), {
  messages: [{ jsonrpc: '2.0', method: 'x'.repeat(171) }],
  refused: undefined,
});
check(
  'a message over the size limit is refused before its body',
  raw('Content-Length: 201\r\n\r\n'),
  nothing('message_too_large'),
);
check('nesting at the limit is taken', framed(nested(4)), { messages: [JSON.parse(nested(4))], refused: undefined });
check('nesting over the limit is refused', framed(nested(5)), nothing('message_too_large'));
check(
  'deep nesting that never closes is refused before it is parsed',
  framed('['.repeat(150)),
  nothing('message_too_large'),
);
check('brackets in strings do not nest', framed('{"jsonrpc":"2.0","method":"[[[[[[\\"[[["}'), {
  messages: [{ jsonrpc: '2.0', method: '[[[[[["[[[' }],
  refused: undefined,
});
check('an empty body is refused', framed(''), nothing('parse_error'));
check('what is not JSON is refused', framed('{"jsonrpc":"2.0",}'), nothing('parse_error'));
check('bytes that are not UTF-8 are refused', framed('{"jsonrpc":"2.0","a":"\xff"}'), nothing('parse_error'));
check('a batch is refused', framed('[{"jsonrpc":"2.0","method":"m"}]'), nothing('invalid_request'));
check('a scalar is refused', framed('7'), nothing('invalid_request'));
check('null is refused', framed('null'), nothing('invalid_request'));
check('another version of JSON-RPC is refused', framed('{"jsonrpc":"1.0","method":"m"}'), nothing('invalid_request'));
check(
  'what was whole before a refusal comes out, and nothing after it',
  Buffer.concat([encodeFrame(note([[1]])), framed('7'), encodeFrame(note(2))]),
  { messages: one.messages, refused: 'invalid_request' },
);

test('16 MiB and one byte are refused by their header; 16 MiB are taken', () => {
  const most = requestLimits.messageBytes;
  expect(read([raw(`Content-Length: ${most + 1}\r\n\r\n`)], requestLimits)).toEqual(nothing('message_too_large'));
  const { messages, refused } = read([sized(most)], requestLimits);
  expect([messages.length, refused]).toEqual([1, undefined]);
});

test('what is neither request nor notification nor response is refused: nobody waits for an answer that cannot come', () => {
  const shapes: readonly (readonly [object, string | undefined])[] = [
    [{ method: 5, id: 1 }, 'invalid_request'],
    [{ method: 'm', id: {} }, 'invalid_request'],
    [{ method: 'm', id: true }, 'invalid_request'],
    [{ id: 1 }, 'invalid_request'],
    [{ result: 1 }, 'invalid_request'],
    [{}, 'invalid_request'],
    [{ method: 'm' }, undefined],
    [{ method: 'm', id: 'a' }, undefined],
    [{ id: 1, result: null }, undefined],
    [{ id: null, error: { code: 1, message: '' } }, undefined],
  ];
  for (const [shape, refused] of shapes) {
    const message = { jsonrpc: '2.0', ...shape };
    expect({ shape, refused: read([encodeFrame(message)]).refused }).toEqual({ shape, refused });
  }
});
