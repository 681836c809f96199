/** Each fault as a client on a bare socket sees it. */
import { connect } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import type { Fault } from '../../src/faults/fault.ts';
import { type Gateway, startGateway } from '../../src/gateway/start.ts';
import { scriptPlayer } from '../../src/players/script.ts';

let gateway: Gateway | undefined;
afterEach(() => gateway?.close());

interface Seen {
  readonly head: string;
  /** The body, its transfer chunks put together. */
  readonly body: Buffer;
  /** end: the transfer's own end came; cut: the socket closed before it; open: nothing more came. */
  readonly ended: 'end' | 'cut' | 'open';
  readonly chunks: number;
}

const step = { text: 'Grüße aus dem Tal.', calls: [{ name: 'read', input: { path: 'a.ts' } }] };
const paths = { anthropic: '/v1/messages', responses: '/v1/responses', chat: '/v1/chat/completions' };
const wires = ['anthropic', 'responses', 'chat'] as const;
type Wire = (typeof wires)[number];

const messages = [{ role: 'user', content: 'hi' }];
const bodies: Readonly<Record<Wire, object>> = {
  anthropic: { model: 'sim', max_tokens: 9, stream: true, messages },
  responses: { model: 'sim', store: false, stream: true, input: messages },
  chat: { model: 'sim', stream: true, messages },
};

/** Plays `faults` on one streamed request. `until`: stop listening once the body holds this. */
async function observe(
  faults: Fault | readonly Fault[],
  options: { readonly wire?: Wire; readonly until?: string | RegExp } = {},
): Promise<Seen> {
  const { wire = 'anthropic', until } = options;
  gateway = await startGateway({ player: scriptPlayer([step]), faults: [{ fault: faults }], clock: { now: () => 0 } });
  const body = JSON.stringify(bodies[wire]);
  const socket = connect(Number(new URL(gateway.origin).port), '127.0.0.1');
  socket.write(
    `POST ${paths[wire]} HTTP/1.1\r\nhost: x\r\nx-api-key: k\r\nanthropic-version: 2023-06-01\r\nconnection: close\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
  const got: Buffer[] = [];
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const enough = new Promise<void>((resolve) => {
    socket.on('error', () => undefined);
    socket.on('data', (data) => {
      got.push(data);
      if (until === undefined) return;
      const raw = Buffer.concat(got);
      if (typeof until === 'string' ? raw.includes(until) : until.test(raw.toString())) resolve();
    });
  });
  const open = await Promise.race([closed.then(() => false), enough.then(() => true)]);
  socket.destroy();
  return { ...split(Buffer.concat(got)), ...(open ? { ended: 'open' as const } : {}) };
}

function split(raw: Buffer): Seen {
  const at = raw.indexOf('\r\n\r\n');
  const head = raw.subarray(0, at === -1 ? 0 : at).toString();
  const rest = at === -1 ? Buffer.alloc(0) : raw.subarray(at + 4);
  if (!head.includes('transfer-encoding: chunked') && !head.includes('Transfer-Encoding: chunked')) {
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? -1);
    return { head, body: rest, ended: rest.length === length ? 'end' : 'cut', chunks: 0 };
  }
  const chunks: Buffer[] = [];
  for (let from = 0; ; ) {
    const line = rest.indexOf('\r\n', from);
    const size = line === -1 ? Number.NaN : Number.parseInt(rest.subarray(from, line).toString(), 16);
    if (size === 0) return { head, body: Buffer.concat(chunks), ended: 'end', chunks: chunks.length };
    if (Number.isNaN(size)) return { head, body: Buffer.concat(chunks), ended: 'cut', chunks: chunks.length };
    chunks.push(rest.subarray(line + 2, line + 2 + size));
    from = line + 2 + size + 2;
  }
}

/** The data of the events, by the rules of server-sent events. */
function events(body: Buffer): readonly string[] {
  const text = body
    .toString()
    .replace(/^\ufeff/, '')
    .replaceAll('\r\n', '\n');
  return text.split('\n\n').flatMap((event) => {
    const data = event
      .split('\n')
      .filter((line) => line.startsWith('data: '))
      .map((line) => line.slice(6));
    return data.length === 0 ? [] : [data.join('\n')];
  });
}

const meaning = (body: Buffer) => events(body).map((data) => (data === '[DONE]' ? data : JSON.parse(data)));
const terminal = /message_stop|\[DONE\]|response\.(completed|incomplete|failed)/;

test('nothing after accept (F-02)', async () => {
  gateway = await startGateway({ player: scriptPlayer([]), faults: [{ fault: { kind: 'no-answer' } }] });
  const socket = connect(Number(new URL(gateway.origin).port), '127.0.0.1');
  const got: Buffer[] = [];
  socket.on('data', (data) => got.push(data));
  socket.write('POST /v1/messages HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}');
  await gateway.received(1);
  expect({ got, open: !socket.destroyed }).toEqual({ got: [], open: true });
  socket.destroy();
});

test('headers, then silence', async () => {
  const seen = await observe({ kind: 'headers-only' }, { until: '\r\n\r\n' });
  expect([seen.head.split('\r\n')[0], seen.body.length, seen.ended]).toEqual(['HTTP/1.1 200 OK', 0, 'open']);
});

test.each(wires)('the first event, then silence, on %s (F-01)', async (wire) => {
  const seen = await observe({ kind: 'silence', after: 'first-event' }, { wire, until: '\n\n' });
  expect([events(seen.body).length, seen.ended]).toEqual([1, 'open']);
});

test.each(wires)('some output, then silence, on %s (F-03)', async (wire) => {
  const seen = await observe({ kind: 'silence', after: 'output' }, { wire, until: 'Tal.' });
  expect([seen.body.toString().includes('Grüße'), terminal.test(seen.body.toString()), seen.ended]).toEqual([
    true,
    false,
    'open',
  ]);
});

test('only pings (F-10)', async () => {
  const seen = await observe({ kind: 'pings-only', everyMs: 1 }, { until: /(ping"\}[\s\S]*){3}/ });
  expect(new Set(events(seen.body))).toEqual(new Set(['{"type":"ping"}']));
});

test('a reset before any byte', async () => {
  expect(await observe({ kind: 'reset' })).toMatchObject({ head: '', ended: 'cut' });
});

test.each([
  ['reset', 'cut'],
  ['end', 'end'],
] as const)('cut inside a line, by %s (F-07)', async (how, ended) => {
  const seen = await observe({ kind: 'cut', at: 'line', how });
  expect([/\ndata: \{"$/.test(seen.body.toString()), seen.ended]).toEqual([true, ended]);
});

test.each(wires)('cut inside a character, on %s (F-07)', async (wire) => {
  const seen = await observe({ kind: 'cut', at: 'utf8' }, { wire });
  expect([seen.body.at(-1), seen.ended]).toEqual([0xc3, 'cut']);
});

test.each(wires)('cut inside the JSON of a call, on %s (F-08)', async (wire) => {
  const seen = await observe({ kind: 'cut', at: 'tool-json' }, { wire });
  expect([/"(partial_json|arguments|delta)":".$/.test(seen.body.toString()), seen.ended]).toEqual([true, 'cut']);
});

test.each(wires)('a clean end without the terminal event, on %s (F-04)', async (wire) => {
  const seen = await observe({ kind: 'eof' }, { wire });
  expect([seen.body.toString().includes('a.ts'), terminal.test(seen.body.toString()), seen.ended]).toEqual([
    true,
    false,
    'end',
  ]);
  expect(seen.body.toString()).not.toContain('"finish_reason":"tool_calls"');
});

test.each(wires)('an error event, the socket left open, on %s (F-05)', async (wire) => {
  const seen = await observe({ kind: 'error-event', message: 'boom' }, { wire, until: 'boom' });
  const error = {
    anthropic: { type: 'error', error: { type: 'api_error', message: 'boom' } },
    responses: { type: 'error', code: 'server_error', message: 'boom', param: null, sequence_number: 5 },
    chat: { error: { message: 'boom', code: 'api_error' } },
  };
  expect([meaning(seen.body).at(-1), seen.ended]).toMatchObject([error[wire], 'open']);
});

test('overloaded after 200 (F-06)', async () => {
  const seen = await observe({ kind: 'overloaded-event', leaveOpen: false });
  expect([seen.head.split('\r\n')[0], meaning(seen.body).at(-1), seen.ended]).toMatchObject([
    'HTTP/1.1 200 OK',
    { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
    'end',
  ]);
});

test('on the Responses wire an answer can fail as such (F-05, F-06)', async () => {
  const failed = await observe({ kind: 'error-event', failed: true, leaveOpen: false }, { wire: 'responses' });
  await gateway?.close();
  const overloaded = await observe({ kind: 'overloaded-event', leaveOpen: false }, { wire: 'responses' });
  expect([meaning(failed.body).at(-1), meaning(overloaded.body)]).toMatchObject([
    {
      type: 'response.failed',
      sequence_number: 5,
      response: { status: 'failed', error: { code: 'server_error', message: 'Internal server error' } },
    },
    [
      { type: 'response.created' },
      { type: 'response.failed', sequence_number: 1, response: { error: { code: 'server_is_overloaded' } } },
    ],
  ]);
});

test.each<[Fault, Wire, number, object]>([
  [{ kind: 'rate-limit', retryAfter: '3600' }, 'anthropic', 429, { error: { type: 'rate_limit_error' } }],
  [{ kind: 'rate-limit', retryAfter: '3600' }, 'chat', 429, { error: { code: 'rate_limit_exceeded' } }],
  [{ kind: 'rate-limit', retryAfter: '3600' }, 'responses', 429, { error: { code: 'rate_limit_exceeded' } }],
  [{ kind: 'overloaded' }, 'responses', 503, { error: { type: 'server_error' } }],
  [{ kind: 'bad-key' }, 'responses', 401, { error: { code: 'invalid_api_key' } }],
  [{ kind: 'spend-limit' }, 'responses', 429, { error: { code: 'insufficient_quota' } }],
  [
    { kind: 'overflow' },
    'responses',
    400,
    {
      error: {
        message: 'Your input exceeds the context window of this model. Please adjust your input and try again.',
        code: 'context_length_exceeded',
      },
    },
  ],
  [{ kind: 'overloaded' }, 'anthropic', 529, { error: { type: 'overloaded_error', message: 'Overloaded' } }],
  [{ kind: 'overloaded' }, 'chat', 503, { error: { type: 'server_error' } }],
  [{ kind: 'bad-key' }, 'anthropic', 401, { error: { type: 'authentication_error', message: 'invalid x-api-key' } }],
  [{ kind: 'bad-key' }, 'chat', 401, { error: { code: 'invalid_api_key' } }],
  [{ kind: 'spend-limit' }, 'anthropic', 429, { error: { details: { error_code: 'enforced_spend_limit_reached' } } }],
  [{ kind: 'spend-limit' }, 'chat', 429, { error: { type: 'insufficient_quota', code: 'insufficient_quota' } }],
  [
    { kind: 'overflow' },
    'anthropic',
    400,
    { error: { message: 'prompt is too long: 200001 tokens > 200000 maximum' } },
  ],
  [{ kind: 'overflow' }, 'chat', 400, { error: { code: 'context_length_exceeded' } }],
  [
    { kind: 'status', status: 418, message: 'tea', headers: { 'x-should-retry': 'false' } },
    'anthropic',
    418,
    { error: { message: 'tea' } },
  ],
])('%j on %s (F-11)', async (fault, wire, status, json) => {
  const seen = await observe(fault, { wire });
  expect([seen.head.split(' ')[1], JSON.parse(seen.body.toString())]).toMatchObject([String(status), json]);
  if (fault.kind === 'rate-limit') expect(seen.head).toContain('retry-after: 3600');
  if (fault.kind === 'status') expect(seen.head).toContain('x-should-retry: false');
  expect(gateway?.requests[0]).toMatchObject({ status, cache: null });
});

test.each([200, 502] as const)('a page of HTML with %d', async (status) => {
  const seen = await observe({ kind: 'html', status });
  expect([seen.head.split(' ')[1], seen.body.toString().startsWith('<!DOCTYPE html>')]).toEqual([String(status), true]);
});

const framings: readonly Fault[] = [
  { kind: 'junk-lines' },
  { kind: 'comments' },
  { kind: 'crlf' },
  { kind: 'mixed-ends' },
  { kind: 'bom' },
  { kind: 'two-data-lines' },
  { kind: 'long-line' },
  { kind: 'chunks', bytes: 1 },
  { kind: 'chunks', bytes: 7 },
];

test.each(wires)('strange framing on %s means the same events (F-07)', async (wire) => {
  const plain = await observe([], { wire });
  await gateway?.close();
  for (const fault of framings) {
    const seen = await observe(fault, { wire });
    expect([fault, seen.ended, seen.body.equals(plain.body)]).toEqual([fault, 'end', fault.kind === 'chunks']);
    expect(meaning(seen.body)).toEqual(meaning(plain.body));
    await gateway?.close();
  }
});

test('every framing fault shows on the wire', async () => {
  const seen = await observe(framings.filter((fault) => fault.kind !== 'chunks' && fault.kind !== 'mixed-ends'));
  const text = seen.body.toString();
  const longest = Math.max(...text.split('\r\n').map((line) => line.length));
  expect([text.startsWith('\ufeff'), /[^\r]\n/.test(text), longest > 5_000_000]).toEqual([true, false, true]);
  for (const piece of [': keep-alive', ': {"type":"error"', 'no colon here', 'data: {\r\ndata: '])
    expect(text).toContain(piece);
});

test('data that is no JSON stands between events', async () => {
  const seen = await observe({ kind: 'junk-data' });
  expect(events(seen.body).filter((data) => data.startsWith('<html>')).length).toBeGreaterThan(3);
});

test('pieces of k bytes arrive as such', async () => {
  const seen = await observe({ kind: 'chunks', bytes: 100 });
  expect(seen.chunks).toBe(Math.ceil(seen.body.length / 100));
});

test.each(wires)(
  'duplicate ids, unknown tool, cut JSON with the reason of a call, on %s (F-08, F-13)',
  async (wire) => {
    const reason = {
      anthropic: '"stop_reason":"tool_use"',
      responses: '"status":"completed"',
      chat: '"finish_reason":"tool_calls"',
    }[wire];
    const twice = (await observe({ kind: 'duplicate-ids' }, { wire })).body.toString();
    await gateway?.close();
    const unknown = (await observe({ kind: 'unknown-tool' }, { wire })).body.toString();
    await gateway?.close();
    const cut = (await observe({ kind: 'cut-input' }, { wire })).body.toString();
    expect([
      twice.split('"call_twice"').length - 1,
      unknown.includes('"name":"teleport"'),
      cut.includes('a.ts'),
    ]).toEqual([wire === 'responses' ? 6 : 2, true, false]);
    for (const text of [twice, unknown, cut])
      expect([text.includes(reason), terminal.test(text)]).toEqual([true, true]);
  },
);

test('an input of 20 MB (F-13)', async () => {
  const seen = await observe({ kind: 'huge-input' });
  const input = meaning(seen.body)
    .map((event) => event.delta?.partial_json ?? '')
    .join('');
  expect([Buffer.byteLength(input), Object.keys(JSON.parse(input))]).toEqual([20 * 1024 * 1024, ['command']]);
});

test('rules strike the requests they name, as often as they say, and can be replaced', async () => {
  gateway = await startGateway({
    player: scriptPlayer([]),
    faults: [
      { fault: { kind: 'overloaded' }, on: [1, 3] },
      { fault: { kind: 'bad-key' }, times: 1 },
    ],
  });
  const ask = async () => {
    const body = JSON.stringify({ model: 'sim', messages: [{ role: 'user', content: 'hi' }] });
    return (
      await fetch(`${gateway?.origin}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: 'Bearer k' },
        body,
      })
    ).status;
  };
  const before = [await ask(), await ask(), await ask(), await ask()];
  gateway.setFaults([{ fault: { kind: 'html', status: 502 } }]);
  expect([...before, await ask()]).toEqual([503, 200, 503, 200, 502]);
});
