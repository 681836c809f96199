/** Many clients that come and go: what each of them hears, whatever becomes of them, of the daemon and of their speed. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer as createSocketServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { systemClock } from '@zerd/protocol/node/clock';
import { follow } from '@zerd/protocol/node/follow';
import { encodeFrame } from '@zerd/protocol/node/framing';
import { createBroadcast } from '../../src/server/broadcast.ts';
import type { Caller } from '../../src/server/caller.ts';
import { createServer } from '../../src/server/server.ts';
import { fakeHouse, greet, mode, pipes, ses } from './fake-house.ts';

const session = ses('1');

/** A client at the end of a link that takes all at once: it hashes what comes, and asks again behind what it has. */
function hashing(id: number) {
  const order = createHash('sha1');
  let heard = 0;
  const link: Caller['link'] = {
    ended: false,
    closed: new Promise<void>(() => {}),
    backlog: () => 0,
    drained: () => Promise.resolve(),
    send(frame) {
      heard += 1;
      order.update(frame);
    },
  };
  return { caller: { id, link } as Caller, heard: () => heard, hash: () => order.digest('hex') };
}

function later<T>() {
  let [resolve, reject]: [(value: T) => void, (error: unknown) => void] = [() => {}, () => {}];
  const promise = new Promise<T>((yes, no) => {
    [resolve, reject] = [yes, no];
  });
  return { promise, resolve, reject };
}

/** The same numbers for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

test('R-04: eight clients that come and go at random hear the same, in 50 runs, the first over 10,000 events', async () => {
  for (let run = 1; run <= 50; run++) {
    const whole = run === 1 ? 10_000 : 1_500;
    const house = fakeHouse();
    const broadcast = createBroadcast(house.store, house.runner);
    const random = randomFrom(run);
    house.store.commit(session, mode());
    const clients = Array.from({ length: 8 }, (_, id) => ({ ...hashing(id), attached: false }));
    const attach = (one: (typeof clients)[number]) => {
      one.attached = true;
      return broadcast.subscribe(one.caller, { sessionId: session, after: one.heard(), deltas: false });
    };
    for (let events = 1; events < whole; ) {
      const some = Math.min(whole - events, 1 + Math.floor(random() * 40));
      house.store.commit(session, ...Array.from({ length: some }, () => mode(random() < 0.5 ? 'ask' : 'full')));
      events += some;
      const one = clients[Math.floor(random() * clients.length)];
      if (one === undefined) continue;
      if (!one.attached) void attach(one);
      else {
        broadcast.drop(one.caller);
        one.attached = false;
      }
      // In the middle of a replay, too.
      if (random() < 0.3) await Promise.resolve();
    }
    await Promise.all(clients.map((one) => attach(one)));
    expect(clients.map(({ heard }) => heard())).toEqual(clients.map(() => whole));
    expect(new Set(clients.map(({ hash }) => hash())).size).toBe(1);
    broadcast[Symbol.dispose]();
  }
}, 60_000);

test('what was committed and not told before a crash comes when the client follows again', async () => {
  const house = fakeHouse();
  house.store.commit(session, mode());
  const heard: number[] = [];
  const serve = async () => {
    const { near, far } = pipes();
    const server = createServer(house);
    void server.attach(far);
    return { server, near, zerd: await greet(near) };
  };
  const first = await serve();
  const second = later<Awaited<ReturnType<typeof serve>>>();
  const back = later<void>();
  const feed = await follow(
    {
      client: first.zerd,
      reconnect: async () => (await second.promise).zerd,
      clock: systemClock,
      sessionId: session,
      after: 0,
    },
    {
      event: ({ seq }) => heard.push(seq),
      reconnected: back.resolve,
      lost: (error) => back.reject(error),
    },
  );
  // Nobody is told of these two: between the commit and the broadcast the daemon dies.
  first.near.readable.destroy();
  first.near.writable.destroy();
  await first.server.close();
  house.store.commit(session, mode('full'), mode());
  second.resolve(await serve());
  await back.promise;
  house.store.commit(session, mode());
  await feed.request('trust/read', {});
  expect(heard).toEqual([1, 2, 3, 4]);
  feed.close();
  await (await second.promise).server.close();
});

test('F-33: over a real socket a client that stopped reading, and one that takes a byte at a time, hold up nobody', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'zo-'));
  const house = fakeHouse();
  house.store.commit(session, mode());
  const server = createServer(house);
  const listener = createSocketServer((socket) => void server.attach({ readable: socket, writable: socket }));
  listener.listen(join(folder, 's'));
  await once(listener, 'listening');
  const dial = async () => {
    const socket = connect(join(folder, 's'));
    await once(socket, 'connect');
    return socket;
  };
  const [stopped, slow] = [await dial(), await dial()];
  for (const socket of [stopped, slow]) await subscribeRaw(socket);
  stopped.pause();
  slow.pause();
  const trickle = setInterval(() => slow.read(1), 50);
  const zerd = await greet(await dial().then((socket) => ({ readable: socket, writable: socket })));
  let heard = 0;
  zerd.onNotice('session/event', () => {
    heard += 1;
  });
  await zerd.request('session/subscribe', { sessionId: session });
  const large = { kind: 'message.submitted', turnId: 'turn_1', text: 'x'.repeat(2_000) } as never;
  for (let n = 0; n < 100; n++) {
    house.store.commit(session, ...Array.from({ length: 100 }, () => large));
    await zerd.request('trust/read', {});
  }
  expect(heard).toBe(10_001);
  clearInterval(trickle);
  // Of 20 MB no more than the bound lay ready for each; what they read now ends with where they go on.
  for (const socket of [stopped, slow]) {
    const [, after] = /session\/gap.*"after":(\d+)/.exec(await lastNotice(socket)) ?? [];
    expect(Number(after)).toBeLessThan(6_000);
  }
  for (const socket of [stopped, slow]) socket.destroy();
  zerd.close();
  await server.close();
  await new Promise((resolve) => listener.close(resolve));
  rmSync(folder, { recursive: true, force: true });
});

/** As a client of its own kind would. */
async function subscribeRaw(socket: Socket): Promise<void> {
  const protocol = { min: 1, max: 1 };
  const hello = { protocol, client: { name: 'raw', version: '0' } };
  socket.write(encodeFrame({ jsonrpc: '2.0', id: 1, method: 'initialize', params: hello } as never));
  await once(socket, 'data');
  socket.write(
    encodeFrame({ jsonrpc: '2.0', id: 2, method: 'session/subscribe', params: { sessionId: session } } as never),
  );
  await once(socket, 'data');
}

/** The last 4 kB of what comes until the gap. */
async function lastNotice(socket: Socket): Promise<string> {
  let tail = '';
  socket.resume();
  while (!tail.includes('session/gap')) {
    const [chunk] = await once(socket, 'data');
    tail = (tail + String(chunk)).slice(-4_096);
  }
  return tail;
}
