/** whatever bytes a client sends, the daemon answers or hangs up, and lives on. `ZERD_FUZZ=20` sends so many times as much. */
import { PassThrough } from 'node:stream';
import { expect, test } from '@jest/globals';
import { methods } from '@zerd/protocol/common/methods';
import { protocolRange } from '@zerd/protocol/common/version';
import { createFrameReader, encodeFrame, type RpcMessage, requestLimits } from '@zerd/protocol/node/framing';
import { createServer } from '../../src/server/server.ts';
import { chanceOf } from '../runner/mixed-player.ts';
import { fakeHouse, mode, ses } from './fake-house.ts';

const frames = 50_000 * Number(process.env.ZERD_FUZZ ?? 1);
const chance = chanceOf(4_711);
const names = Object.keys(methods);
const strings = [
  '',
  'ses_1',
  'ses_2',
  'turn_1',
  'apr_1',
  'x'.repeat(300),
  '\u0000',
  '\ud800',
  '../../etc',
  '__proto__',
  'md',
  '4',
];

function anything(depth = 0): unknown {
  switch (chance.below(depth > 4 ? 6 : 9)) {
    case 0:
      return null;
    case 1:
      return chance.happens(50);
    case 2:
      return chance.pick([0, -1, 1, 2 ** 53, -0.5, 1e308, chance.below(100)]);
    case 3:
    case 4:
    case 5:
      return chance.pick(strings);
    case 6:
      return Array.from({ length: chance.below(4) }, () => anything(depth + 1));
    default:
      return Object.fromEntries(Array.from({ length: chance.below(5) }, () => [key(), anything(depth + 1)]));
  }
}

const keys = [
  'sessionId',
  'after',
  'limit',
  'text',
  'turnId',
  'format',
  'mode',
  'trusted',
  'id',
  '__proto__',
  'constructor',
];
const key = () => (chance.happens(80) ? chance.pick(keys) : chance.pick(strings));

/** A request, a notice or an answer to nothing; sometimes none of them. */
function message(id: number): object {
  const sessionId = chance.pick(['ses_1', 'ses_2', 'ses_9']);
  const params = chance.happens(60) ? { sessionId, ...(anything(1) as object) } : anything();
  const method = chance.happens(90) ? chance.pick(names) : chance.pick(strings);
  const whole = { jsonrpc: '2.0', id, method, params };
  if (rarely()) return chance.pick([{ ...whole, id: anything() }, { x: anything() }, { jsonrpc: '2.0', id }]);
  return chance.pick([whole, whole, whole, { ...whole, id: `${id}` }, { ...whole, id: undefined }]);
}

/** What ends a connection. */
const rarely = () => chance.happens(2) && chance.happens(20);

/** Mostly whole frames; the rest is what no client of ours would send. */
function frame(id: number): Buffer {
  const whole = Buffer.from(encodeFrame(message(id)));
  if (!rarely()) return whole;
  const at = chance.below(whole.length);
  switch (chance.below(5)) {
    case 0:
      return whole.subarray(0, at);
    case 1:
      return Buffer.concat([whole.subarray(0, at), Buffer.from([chance.below(256)]), whole.subarray(at)]);
    case 2:
      return Buffer.from(`Content-Length: ${chance.pick(['-1', '99999999999', 'x', '0', '1e3'])}\r\n\r\n`);
    case 3:
      return Buffer.from(`Content-Length: 400\r\n\r\n${'['.repeat(400)}`);
    default:
      return Buffer.from(Array.from({ length: 40 }, () => chance.below(256)));
  }
}

test(`R-11: ${frames} frames, well-formed and not, bring no crash, no unhandled rejection and no silence`, async () => {
  const house = fakeHouse();
  house.store.commit(ses('1'), mode());
  house.store.commit(ses('2'), mode());
  const server = createServer({ ...house, shutdown: () => {} });
  const unhandled: unknown[] = [];
  const note = (error: unknown) => void unhandled.push(error);
  process.on('unhandledRejection', note);
  let answered = 0;
  let hungUp = 0;

  function connect() {
    const [up, down] = [new PassThrough(), new PassThrough()];
    let tell = () => {};
    let wanted: unknown;
    const reader = createFrameReader({ ...requestLimits, messageBytes: 2 ** 28 }, (answer: RpcMessage) => {
      answered += 1;
      if (answer.id === wanted) tell();
    });
    down.on('data', (chunk: Buffer) => reader.push(chunk));
    const closed = server.attach({ readable: up, writable: down });
    const send = (bytes: Uint8Array) => void up.write(bytes);
    const ask = (id: number) => {
      const heard = new Promise<'answered'>((resolve) => {
        wanted = id;
        tell = () => resolve('answered');
      });
      send(encodeFrame({ jsonrpc: '2.0', id, method: 'trust/read', params: {} }));
      return Promise.race([heard, closed.then(() => 'closed' as const)]);
    };
    const hello = { protocol: protocolRange, client: { name: 't', version: '0' } };
    send(encodeFrame({ jsonrpc: '2.0', id: 'hello', method: 'initialize', params: hello }));
    return { send, ask, end: () => up.end() };
  }

  let client = connect();
  for (let sent = 0; sent < frames; ) {
    for (const end = sent + 100; sent < end; sent += 1) client.send(frame(sent));
    if ((await Promise.race([client.ask(-sent), quiet()])) === 'answered') continue;
    hungUp += 1;
    client.end();
    client = connect();
  }
  expect(await connect().ask(1)).toBe('answered');
  await server.close();
  process.off('unhandledRejection', note);
  expect(unhandled).toEqual([]);
  expect([answered > frames / 4, hungUp > 0]).toEqual([true, true]);
}, 600_000);

/** A frame that promises more bytes than come swallows what is behind it: nobody is to be waited for then. */
function quiet(): Promise<'quiet'> {
  return new Promise((resolve) => {
    let turns = 0;
    const look = () => (++turns > 400 ? resolve('quiet') : setImmediate(look));
    look();
  });
}
