import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ZerdError } from '@zerd/protocol/common/errors';
import type { ArchiveId } from '@zerd/protocol/common/ids';
import { type ClientMethod, methods } from '@zerd/protocol/common/methods';
import { protocolRange, zerdVersion } from '@zerd/protocol/common/version';
import fc from 'fast-check';
import { createLocks } from '../../src/base/locks.ts';
import { createBroadcast } from '../../src/server/broadcast.ts';
import type { Caller } from '../../src/server/caller.ts';
import { createDispatch } from '../../src/server/dispatch.ts';
import { createHandlers } from '../../src/server/handlers.ts';
import { fakeHouse, mode, noOutline, ses } from './fake-house.ts';

function served(stopping = () => false) {
  const house = fakeHouse();
  house.store.commit(ses('1'), mode());
  house.store.commit(ses('2'), mode());
  const broadcast = createBroadcast(house.store, house.runner);
  const handlers = createHandlers({ house, broadcast, clients: () => 1 });
  const dispatch = createDispatch({ handlers, log: house.log, stopping });
  const link = {
    send() {},
    backlog: () => 0,
    drained: () => Promise.resolve(),
    ended: false,
    closed: new Promise<void>(() => {}),
  };
  const stranger: Caller = { id: 1, link };
  const caller: Caller = { id: 2, link, hello: { name: 't', protocol: 1, env: { PATH: '/bin' } } };
  const ask = (method: string, params?: unknown, who = caller) =>
    dispatch(who, method, params).catch((error) => {
      if (error instanceof ZerdError) return error.code;
      throw error;
    });
  return { house, dispatch, handlers, caller, stranger, ask };
}

test('a request that holds up the event loop is told in the log, though nobody else waits; one that takes its time is not', async () => {
  const { handlers, caller } = served();
  let now = 0;
  const told: unknown[] = [];
  const log = { info() {}, warn: (...line: unknown[]) => void told.push(line), error() {} };
  const slow = {
    ...handlers,
    'trust/read': () => {
      now += 1_500;
      return { root: '/repo', trusted: false };
    },
    'session/list': async () => {
      await Promise.resolve();
      now += 60_000;
      return { sessions: [] };
    },
  };
  const dispatch = createDispatch({ handlers: slow, log, stopping: () => false, now: () => now });
  await dispatch(caller, 'session/list', {});
  await dispatch(caller, 'trust/read', {});
  expect(told).toEqual([['a request held up the event loop', { method: 'trust/read', client: 2, ms: 1_500 }]]);
});

const hello = { protocol: protocolRange, client: { name: 't', version: '0' } };

function check(name: string, method: string, params: unknown, expected: unknown): void {
  test(name, async () => {
    const { ask } = served();
    expect(await ask(method, params)).toEqual(expected);
  });
}

check('an unknown method is refused', 'session/burn', {}, 'unknown_method');
check('a name from the prototype is no method', 'constructor', {}, 'unknown_method');
check('a notice is no method', 'session/event', {}, 'unknown_method');
check('a second hello is refused', 'initialize', hello, 'invalid_request');
check('missing parameters are an empty object', 'trust/read', undefined, { root: '/repo', trusted: false });
check('parameters by position are refused', 'trust/read', [], 'invalid_params');
check('a missing field is refused', 'trust/set', {}, 'invalid_params');
check('an unknown field is refused', 'trust/set', { trusted: true, sure: true }, 'invalid_params');
check('a wrong kind of id is refused', 'session/read', { sessionId: 'turn_1' }, 'invalid_params');
check('an unknown session is refused', 'session/read', { sessionId: 'ses_x' }, 'unknown_session');
check('an empty message is refused', 'turn/start', { sessionId: 'ses_1', text: ' \n' }, 'invalid_params');
check('an unknown archive id is refused', 'archive/read', { archiveId: '0123456789ab' }, 'unknown_archive');
check(
  'the context is counted in bytes',
  'context/read',
  { sessionId: 'ses_1' },
  { model: 'sim/sim', body: '{"ä":1}', bytes: 8, outline: noOutline },
);
check('a compaction begins as a turn', 'session/compact', { sessionId: 'ses_1' }, { turnId: 'turn_2', seq: 3 });
check('trust is set and read back', 'trust/set', { trusted: true }, { root: '/repo', trusted: true });
check(
  'the settings are read with the environment of the client',
  'config/read',
  {},
  {
    file: '/c/config.json',
    model: null,
    models: [],
    warnings: ['PATH'],
  },
);

test('nothing is answered before `initialize`', async () => {
  const { ask, stranger } = served();
  const methodsOfClients = Object.keys(methods).filter(
    (name) => methods[name as ClientMethod].direction === 'toDaemon',
  );
  for (const method of methodsOfClients) {
    // A client that shares no version may still ask an older daemon to make room.
    const isFirst = method === 'initialize' || method === 'daemon/handover';
    expect(await ask(method, isFirst ? 7 : {}, stranger)).toBe(isFirst ? 'invalid_params' : 'not_initialized');
  }
});

test('`initialize` agrees on the newest common version and keeps the environment for this connection alone', async () => {
  const { ask, stranger, house, caller } = served();
  const wide = { ...hello, protocol: { min: 0, max: 99 }, env: { KEY: 'sk-1' } };
  expect(await ask('initialize', wide, stranger)).toEqual({
    protocol: protocolRange.max,
    daemon: { version: zerdVersion, pid: process.pid },
    root: '/repo',
    epoch: 'epoch-1',
  });
  await ask('session/create', { mode: 'full' }, stranger);
  await ask('session/create', {}, caller);
  expect(house.runner.asked).toEqual([
    ['createSession', { env: { KEY: 'sk-1' }, mode: 'full' }],
    ['createSession', { env: { PATH: '/bin' } }],
  ]);
  expect(JSON.stringify(house.lines)).not.toContain('sk-1');
});

test('without a common version the older side is named', async () => {
  const { dispatch, stranger } = served();
  const newer = dispatch(stranger, 'initialize', { ...hello, protocol: { min: 98, max: 99 } });
  await expect(newer).rejects.toMatchObject({ code: 'version_unsupported', message: /Update the daemon/ });
  const older = dispatch(stranger, 'initialize', { ...hello, protocol: { min: 0, max: 0 } });
  await expect(older).rejects.toMatchObject({ code: 'version_unsupported', message: /Update the client/ });
});

test('whatever is sent, the answer is a result or an expected failure', async () => {
  const { ask } = served();
  const names = fc.oneof(fc.constantFrom(...Object.keys(methods)), fc.string());
  const params = fc.oneof(
    fc.jsonValue(),
    fc.dictionary(fc.constantFrom('sessionId', 'after', 'text', 'trusted'), fc.jsonValue()),
  );
  await fc.assert(
    fc.asyncProperty(names, params, async (method, value) => {
      expect(await ask(method, value)).toBeDefined();
    }),
  );
});

test('a defect is logged with its method and thrown on, without what was sent', async () => {
  const { house, dispatch, caller } = served();
  const defect = new TypeError('x is not a function');
  house.runner.setMode = () => Promise.reject(defect);
  await expect(dispatch(caller, 'session/setMode', { sessionId: 'ses_1', mode: 'full' })).rejects.toBe(defect);
  expect(house.lines).toEqual([
    ['a request failed by a defect', { method: 'session/setMode', client: 2, error: defect }],
  ]);
});

test('an expected failure is not logged', async () => {
  const { house, ask } = served();
  house.runner.startTurn = () => Promise.reject(new ZerdError('turn_running', 'One runs.'));
  expect(await ask('turn/start', { sessionId: 'ses_1', text: 'hi' })).toBe('turn_running');
  expect(house.lines).toEqual([]);
});

test('once the daemon is stopping every request is told so', async () => {
  const { ask, stranger } = served(() => true);
  expect([await ask('trust/read'), await ask('initialize', hello, stranger)]).toEqual([
    'shutting_down',
    'shutting_down',
  ]);
});

test('requests of one session wait for each other; another session, and an interrupt, do not', async () => {
  const { house, ask } = served();
  let open: (value?: unknown) => void = () => {};
  house.runner.gate = new Promise((resolve) => {
    open = resolve;
  });
  const first = ask('turn/start', { sessionId: 'ses_1', text: 'a' });
  const second = ask('session/setMode', { sessionId: 'ses_1', mode: 'full' });
  await ask('session/setMode', { sessionId: 'ses_2', mode: 'edit' });
  await ask('turn/interrupt', { sessionId: 'ses_1' });
  const before = house.runner.asked.map(([what]) => what);
  open();
  await Promise.all([first, second]);
  const after = house.runner.asked.map(([what]) => what).slice(before.length);
  expect([before, after]).toEqual([
    ['startTurn', 'setMode', 'interrupt'],
    ['started', 'setMode'],
  ]);
});

test('a request that is withdrawn while it waits is never begun', async () => {
  const { house, dispatch, caller, ask } = served();
  const first = ask('turn/start', { sessionId: 'ses_1', text: 'a' });
  const second = dispatch(caller, 'turn/start', { sessionId: 'ses_1', text: 'b' }, () => true);
  await expect(second).rejects.toMatchObject({ code: 'disconnected' });
  await first;
  expect(house.runner.asked.map(([what]) => what)).toEqual(['startTurn', 'started']);
});

test.each([
  ['F-30: a newer release takes over an idle daemon', '9.0.0', 0, { stopping: true }, []],
  [
    'F-30: a busy daemon stays, and ends for the newer release when it is idle',
    '9.0.0',
    2,
    { stopping: false, why: `zerd ${zerdVersion} stays until it is idle: 2 turns running` },
    ['9.0.0'],
  ],
  [
    'F-30: an older release never takes over',
    '0.0.1',
    0,
    { stopping: false, why: `zerd ${zerdVersion} is not older than 0.0.1` },
    [],
  ],
])('%s', async (_, version, running, answer, yields) => {
  const { house, ask } = served();
  house.runner.running = running;
  expect(await ask('daemon/handover', { version })).toEqual(answer);
  expect(house.yields).toEqual(yields);
  expect(house.shutdowns.length).toBe(answer.stopping ? 1 : 0);
});

test('a shutdown with turns running is refused unless it is forced', async () => {
  const { house, ask } = served();
  house.runner.running = 2;
  expect(await ask('daemon/shutdown', {})).toEqual({ stopping: false, runningTurns: 2 });
  expect(house.shutdowns).toEqual([]);
  expect(await ask('daemon/shutdown', { force: true })).toEqual({ stopping: true, runningTurns: 2 });
  expect(house.shutdowns).toEqual(['client 2 asked']);
});

test('sessions are listed with the one that changed last in front', async () => {
  const { house, ask } = served();
  house.store.commit(ses('2'), mode('full'));
  const list = (await ask('session/list')) as { sessions: { sessionId: string }[] };
  expect(list.sessions.map(({ sessionId }) => sessionId)).toEqual(['ses_2', 'ses_1']);
});

test('a page of events ends before it grows too large, and is never empty', async () => {
  const { house, ask } = served();
  const large = { kind: 'model.changed' as const, model: 'x'.repeat(5 * 1024 * 1024) };
  house.store.commit(ses('1'), large, large, large);
  const seqs = async (after: number) => {
    const page = (await ask('session/read', { sessionId: 'ses_1', after })) as { events: { seq: number }[] };
    return page.events.map(({ seq }) => seq);
  };
  expect([await seqs(0), await seqs(2), await seqs(4)]).toEqual([[1, 2], [3], []]);
});

test('every answer fits its schema', async () => {
  const { ask } = served();
  const asks = {
    'session/list': {},
    'session/read': { sessionId: 'ses_1' },
    'session/subscribe': { sessionId: 'ses_1' },
    'session/unsubscribe': { sessionId: 'ses_1' },
    'turn/start': { sessionId: 'ses_1', text: 'hi', maxRequests: 3 },
    'turn/steer': { sessionId: 'ses_1', expectedTurnId: 'turn_1', text: 'hi' },
    'turn/queue': { sessionId: 'ses_1', text: 'hi' },
    'question/answer': { sessionId: 'ses_1', questionId: 'que_1', answer: 'yes' },
    'turn/interrupt': { sessionId: 'ses_1' },
    'cost/read': {},
    'daemon/status': {},
  } satisfies { [M in ClientMethod]?: object };
  for (const [method, params] of Object.entries(asks)) {
    const { result } = methods[method as ClientMethod];
    expect([method, result.safeParse(await ask(method, params)).error?.issues]).toEqual([method, undefined]);
  }
});

test('tasks of one key run in the order in which they came, whatever fails before them', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(fc.constantFrom('a', 'b'), fc.boolean(), fc.nat(2))), async (tasks) => {
      const locks = createLocks();
      const trace: string[] = [];
      const runs = tasks.map(([key, fails, ticks], i) =>
        locks.run(key, async () => {
          trace.push(`${key}${i}`);
          for (let t = 0; t < ticks; t++) await Promise.resolve();
          trace.push(`${key}${i}`);
          if (fails) throw new Error('fails');
        }),
      );
      const outcomes = await Promise.allSettled(runs);
      expect(outcomes.map(({ status }) => status === 'rejected')).toEqual(tasks.map(([, fails]) => fails));
      for (const key of ['a', 'b']) {
        const expected = tasks.flatMap(([k], i) => (k === key ? [`${k}${i}`, `${k}${i}`] : []));
        expect(trace.filter((line) => line.startsWith(key))).toEqual(expected);
      }
    }),
  );
});

test('an archived body is read in parts that are cut between characters', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'zerd-archive-'));
  try {
    const { house, ask } = served();
    const text = 'aä€😀'.repeat(40);
    const file = join(folder, 'body');
    writeFileSync(file, text);
    const id = '0123456789ab' as ArchiveId;
    Object.assign(house.store.archive, { locate: async () => ({ id, file, bytes: Buffer.byteLength(text) }) });
    for (const limit of [4, 5, 6, 7, 13, 1000]) {
      let read = '';
      let offset = 0;
      for (let parts = 0; offset < Buffer.byteLength(text) && parts < 1000; parts++) {
        const part = (await ask('archive/read', { archiveId: id, offset, limit })) as { text: string; bytes: number };
        read += part.text;
        offset += part.bytes;
      }
      expect(read).toBe(text);
    }
    expect(await ask('archive/read', { archiveId: id, offset: 9999 })).toEqual({
      text: '',
      offset: 9999,
      bytes: 0,
      totalBytes: 400,
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('an archived body that is no text is read byte for byte where that is asked for', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'zerd-archive-'));
  try {
    const { house, ask } = served();
    const bytes = Buffer.from([0xff, 0x00, 0xe2, 0x82, 0xac, 0xe2, 0x82]);
    const file = join(folder, 'body');
    writeFileSync(file, bytes);
    const id = '0123456789ab' as ArchiveId;
    Object.assign(house.store.archive, { locate: async () => ({ id, file, bytes: bytes.length }) });
    const part = (wish: object) => ask('archive/read', { archiveId: id, as: 'base64', ...wish });
    const answer = (range: Buffer, offset: number) => ({
      ...{ text: '', base64: range.toString('base64'), offset, bytes: range.length, totalBytes: bytes.length },
    });
    expect(await part({})).toEqual(answer(bytes, 0));
    expect(await part({ offset: 1, limit: 3 })).toEqual(answer(bytes.subarray(1, 4), 1));
    expect(await part({ offset: 99 })).toEqual(answer(Buffer.alloc(0), 99));
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test.each([
  [{ text: 'then this' }, 'queue', { text: 'then this' }],
  [{ promptId: 'prm_1', text: 'rather this' }, 'changePrompt', { promptId: 'prm_1', text: 'rather this' }],
  [{ promptId: 'prm_1', text: null }, 'changePrompt', { promptId: 'prm_1', text: null }],
  [{ run: true }, 'runQueue', {}],
])('turn/queue with %j asks the runner to %s', async (params, asked, wish) => {
  const { house, ask } = served();
  await ask('turn/queue', { sessionId: 'ses_1', ...params });
  expect(house.runner.asked.at(-1)).toEqual([asked, expect.objectContaining({ sessionId: 'ses_1', ...wish })]);
});

test.each([{}, { text: null }, { promptId: 'prm_1' }, { run: true, text: 'and this' }, { run: false }])(
  'turn/queue with %j says nothing clear, and changes nothing',
  async (params) => {
    const { house, ask } = served();
    expect(await ask('turn/queue', { sessionId: 'ses_1', ...params })).toBe('invalid_params');
    expect(house.runner.asked).toEqual([]);
  },
);

test('an answer carries the name of its client into the log', async () => {
  const { house, ask } = served();
  await ask('question/answer', { sessionId: 'ses_1', questionId: 'que_1', answer: 'yes' });
  await ask('approval/answer', { sessionId: 'ses_1', approvalId: 'apr_1', digest: 'd', decision: 'granted' });
  const name = house.runner.asked.map(([, wish]) => (wish as { by?: string }).by);
  expect(name).toEqual([expect.any(String), expect.any(String)]);
});
