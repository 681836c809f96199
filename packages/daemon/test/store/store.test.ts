import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { SessionId } from '@zerd/protocol/common/ids';
import { systemClock } from '@zerd/protocol/node/clock';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { manualClock } from '../../../../test/support/manual-clock.ts';
import { anEvent, assistant, created, request, turn } from '../../../core/test/session/events.ts';
import { silentLog } from '../../src/base/log.ts';
import { databaseName, openStore } from '../../src/store/open.ts';
import { one, said, temporaryFolder, texts, two } from './temporary.ts';

test('what was appended reads back numbered from 1, with its time, also after a restart', async () => {
  const folder = temporaryFolder();
  const clock = manualClock(1_000);
  const store = await openStore({ folder, clock });
  const events = [created, said('a'), said('b')];
  const expected = events.map((event, index) => ({ seq: index + 1, at: 1_000, event }));
  expect(await store.append(one, events)).toEqual(expected);
  expect(store.read(one)).toEqual(expected);
  expect([texts(store.read(one, 1, 1)), store.read(two)]).toEqual([[[2, 'a']], []]);
  await store.close();
  const again = await openStore({ folder, clock });
  expect(again.read(one)).toEqual(expected);
  expect([again.epoch, again.movedAside]).toEqual([store.epoch, undefined]);
  await again.close();
});

test('two sessions that append at once keep each its own numbers without holes', async () => {
  const store = await openStore({ folder: temporaryFolder(), clock: systemClock });
  const appends = Array.from({ length: 20 }, (_, index) =>
    store.append(index % 2 ? one : two, [said(`${index}`), said('+')]),
  );
  await Promise.all(appends);
  for (const session of [one, two]) {
    expect(store.read(session).map(({ seq }) => seq)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  }
  expect(texts(store.read(two)).filter((_, index) => index % 2 === 0)).toEqual(
    [0, 2, 4, 6, 8, 10, 12, 14, 16, 18].map((number, index) => [2 * index + 1, `${number}`]),
  );
  await store.close();
});

test('listeners hear of a commit in its order, when it can be read and before the append settles', async () => {
  const store = await openStore({ folder: temporaryFolder(), clock: systemClock });
  const heard: unknown[] = [];
  const listening = store.onCommit((session, events) => {
    heard.push([session, events.map(({ seq }) => seq), store.read(session).length]);
  });
  const appends = [
    store.append(one, [said('a')]),
    store.append(two, [said('b'), said('c')]),
    store.append(one, [said('d')]),
  ];
  await Promise.all(appends.map((append) => append.then((events) => heard.push(`settled ${events.length}`))));
  expect(heard).toEqual([[one, [1], 2], [two, [1, 2], 2], [one, [2], 2], 'settled 1', 'settled 2', 'settled 1']);
  listening[Symbol.dispose]();
  await store.append(one, [said('e')]);
  expect(heard).toHaveLength(6);
  await store.close();
});

test('a listener that throws is logged; the append holds and the others hear of it', async () => {
  const errors: string[] = [];
  const log = { ...silentLog, error: (message: string) => void errors.push(message) };
  const store = await openStore({ folder: temporaryFolder(), clock: systemClock, log });
  const heard: number[] = [];
  store.onCommit(() => {
    throw new Error('a defect');
  });
  store.onCommit((_, events) => void heard.push(events.length));
  expect(await store.append(one, [said('a')])).toHaveLength(1);
  expect([heard, errors]).toEqual([[1], ['A listener of the store failed.']]);
  await store.close();
});

test('a listener may append; a change of an event after the append does not reach the log', async () => {
  const store = await openStore({ folder: temporaryFolder(), clock: systemClock });
  let follow: Promise<unknown> | undefined;
  store.onCommit(() => {
    follow ??= store.append(one, [said('follows')]);
  });
  const event = { ...said('before') } as { text: string };
  const append = store.append(one, [event as never as SessionEvent]);
  event.text = 'after';
  await append;
  await follow;
  expect(texts(store.read(one))).toEqual([
    [1, 'before'],
    [2, 'follows'],
  ]);
  await store.close();
});

test('an event that is no JSON fails alone, and nothing and nobody else', async () => {
  const store = await openStore({ folder: temporaryFolder(), clock: systemClock });
  const bad = store.append(one, [said('x'), { kind: 'mode.changed', mode: 1n as never }]);
  const good = store.append(one, [said('y')]);
  await expect(bad).rejects.toMatchObject({ code: 'store_failed' });
  expect(await good).toMatchObject([{ seq: 1 }]);
  expect(await store.append(one, [])).toEqual([]);
  await store.close();
  await expect(store.append(one, [said('z')])).rejects.toMatchObject({ code: 'shutting_down' });
});

test('closing waits for the appends that were asked for', async () => {
  const folder = temporaryFolder();
  const store = await openStore({ folder, clock: systemClock });
  const append = store.append(one, [said('a')]);
  await store.close();
  expect(await append).toHaveLength(1);
  const again = await openStore({ folder, clock: systemClock });
  expect(texts(again.read(one))).toEqual([[1, 'a']]);
  await again.close();
});

test('I1: the log refuses UPDATE, DELETE, REPLACE and a hole, whoever asks', async () => {
  const { store, db } = await openBoth();
  await store.append(one, [said('a'), said('b')]);
  const check = (sql: string, message: string) => expect(() => db.exec(sql)).toThrow(message);
  check("UPDATE events SET data = '{}'", 'no UPDATE');
  check('DELETE FROM events', 'no DELETE');
  check("INSERT OR REPLACE INTO events VALUES ('ses_one', 2, 0, 'x', 1, '{}')", 'seq must follow');
  check("INSERT INTO events VALUES ('ses_one', 4, 0, 'x', 1, '{}')", 'seq must follow');
  expect(texts(store.read(one))).toEqual([
    [1, 'a'],
    [2, 'b'],
  ]);
  db.close();
  await store.close();
});

test('sums go beyond what whole numbers hold', async () => {
  const store = await openStore({ folder: temporaryFolder(), clock: manualClock() });
  const dear = (id: string) => ({ ...assistant(id), costPico: 6e15 });
  const names = ['req_1', 'req_2', 'req_3'];
  await store.append(one, [created, turn, ...names.flatMap((name) => [request(name), dear(name)])]);
  expect(store.totals().totals.costPico).toBe(18e15);
  expect(store.totals(one).byModel[0]?.totals.costPico).toBe(18e15);
  expect(store.session(one)?.costPico).toBe(18e15);
  await store.close();
});

test('rows and totals follow the log; unpriced requests are counted apart', async () => {
  const clock = manualClock(5_000);
  const store = await openStore({ folder: temporaryFolder(), clock });
  await store.append(one, [created, turn, said('mend it'), request('req_1'), assistant('req_1')]);
  clock.advance(1);
  const other = { ...assistant('req_2'), costPico: null };
  await store.append(two, [created, { kind: 'model.changed', model: 'other/big' }, other]);
  const tokens = { uncached: 10, cacheRead: 100, cacheWrite: 20, output: 5 };
  const priced = { requests: 1, ...tokens, costPico: 1_000, unpricedRequests: 0 };
  const unpriced = { requests: 1, ...tokens, costPico: 0, unpricedRequests: 1 };
  expect(store.totals(one)).toEqual({ totals: priced, byModel: [{ model: 'sim/sim', totals: priced }] });
  expect(store.totals()).toEqual({
    totals: {
      requests: 2,
      uncached: 20,
      cacheRead: 200,
      cacheWrite: 40,
      output: 10,
      costPico: 1_000,
      unpricedRequests: 1,
    },
    byModel: [
      { model: 'sim/sim', totals: priced },
      { model: 'other/big', totals: unpriced },
    ],
  });
  expect(store.totals('ses_none' as SessionId)).toMatchObject({ totals: { requests: 0, costPico: 0 }, byModel: [] });
  expect(store.session(one)).toMatchObject({ title: 'mend it', state: 'running', createdAt: 5_000, lastSeq: 5 });
  expect(store.sessions().map(({ sessionId }) => sessionId)).toEqual([two, one]);
  expect(store.session('ses_none' as SessionId)).toBeUndefined();
  await store.close();
});

test('F-15: the newest session is the one that was written last, whatever the time of day, also after a rebuild', async () => {
  const clock = manualClock();
  const store = await openStore({ folder: temporaryFolder(), clock });
  const order = () => store.sessions().map(({ sessionId }) => sessionId);
  await store.append(two, [created]);
  clock.jumpWall(-86_400_000);
  await store.append(one, [created]);
  expect(order()).toEqual([one, two]);
  store.rebuildProjections();
  expect(order()).toEqual([one, two]);
  await store.append(two, [said('again')]);
  expect(order()).toEqual([two, one]);
  store.rebuildProjections();
  expect(order()).toEqual([two, one]);
  await store.close();
});

test('an event kind of a newer build is kept and passed over, and its place is not given away', async () => {
  const { store, db } = await openBoth();
  await store.append(one, [created, { kind: 'context.folded', by: 'a newer build' } as never, said('a')]);
  expect(texts(store.read(one))).toEqual([
    [1, 'session.created'],
    [3, 'a'],
  ]);
  expect(texts(store.read(one, 1, 1))).toEqual([[3, 'a']]);
  expect(db.prepare('SELECT kind FROM events WHERE seq = 2').pluck().get()).toBe('context.folded');
  expect(store.session(one)?.lastSeq).toBe(3);
  db.close();
  await store.close();
});

test('I1: folding the tables anew from any log gives what incremental writing gave', async () => {
  const { store, db } = await openBoth();
  let run = 0;
  const batches = fc.array(fc.tuple(fc.constantFrom('a', 'b'), fc.array(anEvent, { maxLength: 6 })), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(batches, async (appends) => {
      run += 1;
      await Promise.all(appends.map(([name, events]) => store.append(`ses_${run}${name}` as SessionId, events)));
      const before = dump(db);
      store.rebuildProjections();
      expect(dump(db)).toEqual(before);
    }),
    { numRuns: 40 },
  );
  db.close();
  await store.close();
});

test('tables that were lost, or written by a build with other kinds of events, are folded anew', async () => {
  const { store, db, folder } = await openBoth();
  await store.append(one, [created, said('a'), request('req_1'), assistant('req_1')]);
  const before = dump(db);
  db.exec('DELETE FROM sessions; DELETE FROM usage');
  await store.append(one, [said('b')]);
  expect(store.session(one)).toMatchObject({ title: 'a', requests: 1, lastSeq: 5 });
  db.exec("DELETE FROM usage; UPDATE meta SET value = 'older' WHERE key = 'projected by'");
  await store.close();
  const again = await openStore({ folder, clock: systemClock });
  expect(dump(db).usage).toEqual(before.usage);
  db.close();
  await again.close();
});

test('an event that cannot be read fails its own session with its number; the others and a rebuild go on', async () => {
  const { store, db } = await openBoth();
  await store.append(one, [created]);
  await store.append(two, [said('whole')]);
  db.exec("INSERT INTO events VALUES ('ses_one', 2, 7, 'mode.changed', 1, '{\"kind\":\"mo')");
  expect(() => store.read(one)).toThrow('Event 2 of ses_one cannot be read');
  expect(texts(store.read(two))).toEqual([[1, 'whole']]);
  store.rebuildProjections();
  expect(store.session(one)).toMatchObject({ lastSeq: 2, mode: 'ask' });
  db.close();
  await store.close();
});

test('F-38: while another process holds the database an append waits, and then succeeds', async () => {
  const clock = manualClock();
  const { store, db } = await openBoth(clock);
  db.exec('BEGIN IMMEDIATE');
  let settled = false;
  const append = store.append(one, [said('a')]).finally(() => {
    settled = true;
  });
  for (let waited = 0; waited < 8_000; waited += 1_000) {
    await untilWaiting(clock);
    clock.advance(1_000);
  }
  await untilWaiting(clock);
  expect([settled, store.read(one)]).toEqual([false, []]);
  db.exec('COMMIT');
  clock.advance(1_000);
  expect(await append).toMatchObject([{ seq: 1 }]);
  db.close();
  await store.close();
});

test('F-38: a database that is held for good fails the append and keeps nothing; the next one works', async () => {
  const clock = manualClock();
  const { store, db } = await openBoth(clock);
  db.exec('BEGIN IMMEDIATE');
  const append = store.append(one, [said('a')]);
  const failed = expect(append).rejects.toMatchObject({ code: 'store_failed' });
  await untilWaiting(clock);
  clock.advance(31_000);
  await failed;
  db.exec('COMMIT');
  expect(await store.append(one, [said('b')])).toMatchObject([{ seq: 1 }]);
  db.close();
  await store.close();
});

async function openBoth(clock = systemClock) {
  const folder = temporaryFolder();
  const store = await openStore({ folder, clock });
  return { folder, store, db: new Database(join(folder, databaseName)) };
}

function dump(db: Database.Database) {
  const rows = (table: string) => db.prepare(`SELECT * FROM ${table} ORDER BY 1, 2`).all();
  return { sessions: rows('sessions'), usage: rows('usage') };
}

/** Until the store waits on its clock. */
async function untilWaiting(clock: { timers(): number }): Promise<void> {
  while (clock.timers() === 0) await new Promise((resolve) => setImmediate(resolve));
}
