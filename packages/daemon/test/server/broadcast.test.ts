import { afterEach, expect, test } from '@jest/globals';
import type { CallId, RequestId } from '@zerd/protocol/common/ids';
import type { ZerdClient } from '@zerd/protocol/node/client';
import fc from 'fast-check';
import { createBroadcast } from '../../src/server/broadcast.ts';
import type { Caller } from '../../src/server/caller.ts';
import { createServer } from '../../src/server/server.ts';
import { type FakeHouse, fakeHouse, greet, mode, noOutline, pipes, ses, turn } from './fake-house.ts';

const session = ses('1');
let open: ZerdClient[] = [];
afterEach(async () => {
  for (const zerd of open) zerd.close();
  await Promise.all(open.map(({ closed }) => closed));
  open = [];
});

/** A client of the house that notes what it hears. */
async function listen(house: FakeHouse, server = createServer(house)) {
  const { near, far } = pipes();
  void server.attach(far);
  const zerd = await greet(near);
  open.push(zerd);
  const heard: string[] = [];
  zerd.onNotice('session/event', ({ seq, epoch }) => heard.push(`${epoch}:${seq}`));
  zerd.onNotice('session/delta', ({ text }) => heard.push(text));
  zerd.onNotice('session/gap', ({ after }) => heard.push(`gap after ${after}`));
  return { zerd, heard, near, server };
}

const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => `epoch-1:${from + i}`);
const delta = (text: string) => ({
  sessionId: session,
  turnId: turn('1'),
  requestId: 'req_1' as RequestId,
  channel: 'text' as const,
  text,
});

/** Everything that is on its way has arrived when a request made now is answered. */
const settled = ({ zerd }: { zerd: ZerdClient }) => zerd.request('trust/read', {});

test('a subscriber gets what was, then what comes, and is told where the replay ended', async () => {
  const house = fakeHouse();
  house.store.commit(session, mode(), mode(), mode());
  const client = await listen(house);
  const answer = await client.zerd.request('session/subscribe', { sessionId: session, after: 1 });
  expect([answer.syncedAt, answer.epoch, client.heard]).toEqual([3, 'epoch-1', numbers(2, 3)]);
  house.store.commit(session, mode(), mode());
  await settled(client);
  expect(client.heard).toEqual(numbers(2, 5));
});

test('events that are committed during a replay come once, in order', async () => {
  const house = fakeHouse();
  house.store.commit(session, ...Array.from({ length: 1000 }, () => mode()));
  const client = await listen(house);
  let left = 700;
  house.store.beforeRead = () => {
    if (left-- > 0) house.store.commit(session, mode());
  };
  const late = setInterval(() => house.store.commit(session, mode()), 0);
  const { syncedAt } = await client.zerd.request('session/subscribe', { sessionId: session });
  clearInterval(late);
  house.store.beforeRead = () => {};
  house.store.commit(session, mode());
  await settled(client);
  const last = house.store.session(session)?.lastSeq ?? 0;
  expect(syncedAt).toBeGreaterThan(1000);
  expect(client.heard).toEqual(numbers(1, last));
});

test('however commits, reads and listeners interleave, there is no hole and no duplicate (I10)', async () => {
  const steps = fc.array(fc.constantFrom('commit', 'commit-late', 'tick', 'drain'), { maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(fc.nat(600), fc.nat(700), steps, async (before, after, script) => {
      const house = fakeHouse();
      house.store.commit(session, mode(), ...Array.from({ length: before }, () => mode()));
      const heard: number[] = [];
      const release: (() => void)[] = [];
      const broadcast = createBroadcast(house.store, house.runner);
      const caller: Caller = {
        id: 1,
        link: {
          ended: false,
          closed: new Promise<void>(() => {}),
          backlog: () => 0,
          send: (frame) => heard.push(JSON.parse(String(frame).split('\r\n\r\n')[1] ?? '').params.seq),
          drained: () => new Promise((resolve) => release.push(resolve)),
        },
      };
      const from = Math.min(after, before + 1);
      const done = broadcast.subscribe(caller, { sessionId: session, after: from, deltas: false });
      for (const step of script) {
        if (step === 'commit') house.store.commit(session, mode(), mode());
        if (step === 'commit-late') queueMicrotask(() => house.store.commit(session, mode()));
        if (step === 'drain') release.shift()?.();
        await Promise.resolve();
      }
      for (let i = 0; i < 50; i++) {
        for (const drained of release.splice(0)) drained();
        await Promise.resolve();
      }
      await done;
      house.store.commit(session, mode());
      const last = house.store.session(session)?.lastSeq ?? 0;
      expect(heard).toEqual(Array.from({ length: last - from }, (_, i) => from + 1 + i));
      broadcast[Symbol.dispose]();
    }),
    { numRuns: 60 },
  );
});

test('a store that tells of its commits late leaves no hole', async () => {
  const house = fakeHouse();
  house.store.commit(session, mode());
  const client = await listen(house);
  const listeners: Parameters<typeof house.store.onCommit>[0][] = [];
  const onCommit = (listener: (typeof listeners)[0]) => {
    listeners.push(listener);
    return { [Symbol.dispose]() {} };
  };
  const late = { ...house, store: { ...house.store, onCommit } };
  const { near, far } = pipes();
  void createServer(late).attach(far);
  const zerd = await greet(near);
  open.push(zerd);
  const heard: number[] = [];
  zerd.onNotice('session/event', ({ seq }) => heard.push(seq));
  await zerd.request('session/subscribe', { sessionId: session });
  house.store.commit(session, mode(), mode());
  house.store.commit(session, mode());
  for (const listener of listeners) listener(session, house.store.read(session, 3));
  for (const listener of listeners) listener(session, house.store.read(session, 1, 2));
  await settled({ zerd });
  expect(heard).toEqual([1, 2, 3, 4]);
  await settled(client);
});

test('an event that is committed right after the last page was read is not left behind', async () => {
  const house = fakeHouse();
  house.store.commit(session, mode());
  const client = await listen(house);
  house.store.beforeRead = () => {
    house.store.beforeRead = () => {};
    queueMicrotask(() => house.store.commit(session, mode()));
  };
  await client.zerd.request('session/subscribe', { sessionId: session });
  await settled(client);
  expect(client.heard).toEqual(numbers(1, 2));
});

test('subscribing again during a replay ends the first replay', async () => {
  const house = fakeHouse();
  house.store.commit(session, ...Array.from({ length: 1000 }, () => mode()));
  const client = await listen(house);
  const both = [0, 0].map((after) => client.zerd.request('session/subscribe', { sessionId: session, after }));
  await Promise.all(both);
  const broken = client.heard.length - 1000;
  expect(broken).toBeLessThan(1000);
  expect(client.heard).toEqual([...numbers(1, broken), ...numbers(1, 1000)]);
});

test('what a command writes goes to those who follow it piece by piece, and is read only for them', async () => {
  const house = fakeHouse();
  house.store.commit(session, mode());
  const server = createServer(house);
  const [plain, close] = [await listen(house, server), await listen(house, server)];
  const heard = (client: typeof plain) => {
    const texts: string[] = [];
    client.zerd.onNotice('session/output', ({ text }) => texts.push(text));
    return texts;
  };
  const texts = [plain, close].map(heard);
  const output = { sessionId: session, turnId: turn('1'), callId: 'c1' as CallId, offset: 0, totalBytes: 3 };
  expect(house.runner.output({ ...output, text: 'one' })).toBe(false);
  await plain.zerd.request('session/subscribe', { sessionId: session });
  expect(house.runner.output({ ...output, text: 'two' })).toBe(false);
  await close.zerd.request('session/subscribe', { sessionId: session, deltas: true });
  expect(house.runner.output({ ...output, text: 'three' })).toBe(true);
  for (const client of [plain, close]) await settled(client);
  expect(texts).toEqual([[], ['three']]);
});

test('two clients hear the same in the same order, deltas among them', async () => {
  const house = fakeHouse();
  house.store.commit(session, mode());
  const server = createServer(house);
  const [one, two] = [await listen(house, server), await listen(house, server)];
  for (const { zerd } of [one, two]) await zerd.request('session/subscribe', { sessionId: session, deltas: true });
  for (let i = 0; i < 50; i++) {
    house.runner.delta(delta(`d${i}`));
    if (i % 3 === 0) house.store.commit(session, mode(), mode());
    if (i % 7 === 0) await Promise.resolve();
  }
  await settled(one);
  await settled(two);
  expect(one.heard).toHaveLength(1 + 50 + 34);
  expect(two.heard).toEqual(one.heard);
});

test('deltas come only to who asked for them, and only of that session', async () => {
  const house = fakeHouse();
  house.store.commit(session, mode());
  house.store.commit(ses('2'), mode());
  const client = await listen(house);
  await client.zerd.request('session/subscribe', { sessionId: session });
  await client.zerd.request('session/subscribe', { sessionId: ses('2'), deltas: true });
  house.runner.delta(delta('of the first'));
  house.runner.delta({ ...delta('of the second'), sessionId: ses('2') });
  await settled(client);
  expect(client.heard).toEqual(['epoch-1:1', 'epoch-1:1', 'of the second']);
});

test('a client that does not read loses deltas, then is told where to resume, and holds up nobody (F-33)', async () => {
  const house = fakeHouse();
  house.store.commit(session, mode());
  const server = createServer(house);
  const [slow, quick] = [await listen(house, server), await listen(house, server)];
  for (const { zerd } of [slow, quick]) await zerd.request('session/subscribe', { sessionId: session, deltas: true });
  const large = { kind: 'model.changed' as const, model: 'x'.repeat(100_000) };
  slow.near.readable.pause();
  for (let i = 0; i < 200; i++) {
    house.store.commit(session, large);
    house.runner.delta(delta(`d${i}`));
    await settled(quick);
  }
  expect(quick.heard.filter((line) => line.startsWith('d'))).toHaveLength(200);
  expect(quick.heard.filter((line) => line.startsWith('e'))).toEqual(numbers(1, 201));
  slow.near.readable.resume();
  await settled(slow);
  const gap = slow.heard.at(-1) ?? '';
  const last = Number(/^gap after (\d+)$/.exec(gap)?.[1]);
  expect(last).toBeGreaterThan(2);
  expect(last).toBeLessThan(150);
  expect(slow.heard.filter((line) => line.startsWith('e'))).toEqual(numbers(1, last));
  expect(slow.heard.filter((line) => line.startsWith('d')).length).toBeLessThan(10);
  const again = await slow.zerd.request('session/subscribe', { sessionId: session, after: last });
  expect(again.syncedAt).toBe(201);
  expect(slow.heard.filter((line) => line.startsWith('e'))).toEqual(numbers(1, 201));
});

test('after unsubscribing nothing more comes, and subscribing again begins where it is told', async () => {
  const house = fakeHouse();
  house.store.commit(session, mode(), mode());
  const client = await listen(house);
  await client.zerd.request('session/subscribe', { sessionId: session, after: 2 });
  await client.zerd.request('session/unsubscribe', { sessionId: session });
  house.store.commit(session, mode());
  await client.zerd.request('session/subscribe', { sessionId: session, after: 1 });
  await client.zerd.request('session/subscribe', { sessionId: session, after: 2 });
  house.store.commit(session, mode());
  await settled(client);
  expect(client.heard).toEqual(['epoch-1:2', 'epoch-1:3', 'epoch-1:3', 'epoch-1:4']);
});

test('a number from the future hides nothing that is to come', async () => {
  const house = fakeHouse();
  house.store.commit(session, mode());
  const client = await listen(house);
  const { syncedAt } = await client.zerd.request('session/subscribe', { sessionId: session, after: 99 });
  house.store.commit(session, mode());
  await settled(client);
  expect([syncedAt, client.heard]).toEqual([1, ['epoch-1:2']]);
});

test('a client that never says hello is let go after a minute', async () => {
  const house = fakeHouse();
  const server = createServer(house);
  const { far } = pipes();
  const gone = server.attach(far);
  house.clock.advance(59_999);
  expect(server.clients()).toBe(1);
  house.clock.advance(1);
  await gone;
  expect(server.clients()).toBe(0);
});

test('a defect reaches the client as one, without its text', async () => {
  const house = fakeHouse();
  house.runner.contextBody = () => {
    throw new TypeError('secret of the house');
  };
  house.store.commit(session, mode());
  const { zerd } = await listen(house);
  const answer = zerd.request('context/read', { sessionId: session });
  await expect(answer).rejects.toMatchObject({
    code: 'internal_error',
    message: expect.not.stringContaining('secret'),
  });
});

test('an answer that is too large for the wire is refused and the connection lives on', async () => {
  const house = fakeHouse();
  house.runner.contextBody = () => ({ model: 'm', body: 'x'.repeat(65 * 1024 * 1024), outline: noOutline });
  house.store.commit(session, mode());
  const client = await listen(house);
  const answer = client.zerd.request('context/read', { sessionId: session });
  await expect(answer).rejects.toMatchObject({ code: 'message_too_large' });
  expect(await settled(client)).toEqual({ root: '/repo', trusted: false });
});

test('closing the server ends every connection, also of a client that does not read', async () => {
  const house = fakeHouse();
  const server = createServer(house);
  const [one, two] = [await listen(house, server), await listen(house, server)];
  two.near.readable.pause();
  house.store.commit(session, mode());
  const closing = server.close();
  await one.zerd.closed;
  house.clock.advance(2_000);
  await closing;
  expect(server.clients()).toBe(0);
  two.near.readable.resume();
});
