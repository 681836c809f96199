/** `ZERD_LOG_MB=1024` makes the long session as long as that, and prints how long it takes to open it. */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { foldFurther, foldSession } from '@zerd/core/session/fold';
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { SessionId } from '@zerd/protocol/common/ids';
import { systemClock } from '@zerd/protocol/node/clock';
import { silentLog } from '../../src/base/log.ts';
import type { Store } from '../../src/base/ports.ts';
import { openBook } from '../../src/runner/book.ts';
import { createKeptFolds } from '../../src/runner/kept-folds.ts';
import { databaseName, openStore } from '../../src/store/open.ts';

const sessionId = 'ses_long' as SessionId;
const folder = mkdtempSync(join(tmpdir(), 'zerd-long-'));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const usage = { uncached: 10, cacheRead: 1_000, cacheWrite: 10, output: 5, reported: true };
const text = 'A line of some output that a command wrote, and that the log keeps.\n'.repeat(170);

/** Requests with a result each, and a summary of all before at every fiftieth. */
function request(n: number, lastSeq: number): SessionEvent[] {
  const [turnId, requestId, callId] = ['turn_1', `req_${n}`, `call_${n}`];
  const segments = Array.from({ length: 60 }, (_, index) => ({ name: `message ${index}`, hash: `${n}`, bytes: 9 }));
  const content = [{ kind: 'toolCall', callId, name: 'read', inputJson: '{"path":"a"}' }];
  const events = [
    { kind: 'request.started', requestId, turnId, model: 'sim/sim', attempt: 1, bytes: 9, segments },
    { kind: 'assistant.finished', requestId, turnId, content, stopReason: 'toolUse', usage, costPico: 1 },
    { kind: 'toolCall.started', turnId, callId, name: 'read', inputJson: '{"path":"a"}' },
    { kind: 'toolCall.finished', turnId, callId, outcome: 'ok', shown: text, bytes: text.length, durationMs: 1 },
  ];
  const compacted = {
    kind: 'context.compacted',
    turnId,
    reason: 'full',
    throughSeq: lastSeq,
    summary: 'What was done so far.',
    summaryRequestId: requestId,
    usage,
    predicted: { prompt: 1, after: 1, facts: 1 },
  };
  return (n % 50 === 0 ? [...events, compacted] : events) as unknown as SessionEvent[];
}

async function fill(store: Store, megabytes: number): Promise<void> {
  const created = { kind: 'session.created', root: '/r', model: 'sim/sim', mode: 'full', system: 's', tools: '[]' };
  const started = [
    { ...created, version: '0' },
    { kind: 'turn.started', turnId: 'turn_1' },
  ] as SessionEvent[];
  let lastSeq = (await store.append(sessionId, started)).at(-1)?.seq ?? 0;
  for (let n = 1, bytes = 0; bytes < megabytes * 1e6; ) {
    const batch: SessionEvent[] = [];
    for (; batch.length < 200; n += 1) batch.push(...request(n, lastSeq));
    bytes += JSON.stringify(batch).length;
    lastSeq = (await store.append(sessionId, batch)).at(-1)?.seq ?? 0;
  }
}

/** Counts the events that are read. */
function counting(store: Store): { readonly store: Store; readonly count: () => number } {
  let count = 0;
  const read: Store['read'] = (...args) => {
    const events = store.read(...args);
    count += events.length;
    return events;
  };
  return { store: { ...store, read }, count: () => count };
}

const bookOf = (store: Store, build: string | undefined) =>
  openBook(store, createKeptFolds({ store, log: silentLog, build: () => build }));

test('a long session is opened from its kept fold: not its whole log is read, and what is folded is the same', async () => {
  const megabytes = Number(process.env.ZERD_LOG_MB ?? 24);
  const first = await openStore({ folder, clock: systemClock });
  await fill(first, megabytes);
  const { lastSeq } = bookOf(first, 'one').state(sessionId);
  await bookOf(first, 'one').append(sessionId, request(1_000_001, lastSeq));
  await first.close();

  const begun = performance.now();
  const opened = await openStore({ folder, clock: systemClock });
  const openedMs = performance.now() - begun;
  const { store, count } = counting(opened);
  const state = bookOf(store, 'one').state(sessionId);
  const page = store.read(sessionId, state.lastSeq - 200);
  const tookMs = performance.now() - begun;
  expect([state.lastSeq, page.length, count()]).toEqual([lastSeq + 4, 200, 204]);
  if (process.env.ZERD_LOG_MB === undefined) expect(state).toEqual(foldSession(store.read(sessionId)));
  else {
    const mb = Math.round(statSync(join(folder, databaseName)).size / 1e6);
    const rssMb = Math.round(process.memoryUsage.rss() / 1e6);
    const again = performance.now();
    bookOf(store, undefined).state(sessionId);
    const wholeMs = performance.now() - again;
    const [opening, took, whole] = [openedMs, tookMs, wholeMs].map(Math.round);
    console.log(JSON.stringify({ bench: 'open', mb, openedMs: opening, tookMs: took, wholeLogMs: whole, rssMb }));
    expect(tookMs).toBeLessThan(2_000);
  }
  await opened.close();
}, 600_000);

test('a fold of another build, one that does not read, or none at all: the log is folded', async () => {
  const store = await openStore({ folder, clock: systemClock });
  await fill(store, 9);
  const whole = foldSession(store.read(sessionId));
  expect(whole.lastSeq).toBeGreaterThan(2_000);
  expect(bookOf(store, 'one').state(sessionId)).toEqual(whole);
  expect(store.folds.find(sessionId, 'one')?.seq).toBe(whole.lastSeq);
  expect(store.folds.find(sessionId, 'two')).toBeUndefined();
  expect(bookOf(store, 'two').state(sessionId)).toEqual(whole);
  store.folds.keep(sessionId, 'one', { seq: whole.lastSeq, state: Buffer.from('no fold') });
  expect(bookOf(store, 'one').state(sessionId)).toEqual(whole);
  expect(bookOf(store, undefined).state(sessionId)).toEqual(whole);
  await store.close();
});

test('a session that is removed, or a secret that is forgotten, leaves no fold behind', async () => {
  const store = await openStore({ folder, clock: systemClock });
  const other = 'ses_other' as SessionId;
  for (const id of [sessionId, other]) store.folds.keep(id, 'one', { seq: 1, state: Buffer.from('x') });
  await fill(store, 1);
  await store.removeSession(sessionId);
  expect([store.folds.find(sessionId, 'one'), store.folds.find(other, 'one')?.seq]).toEqual([undefined, 1]);
  await store.forget('some output that a command');
  expect(store.folds.find(other, 'one')).toBeUndefined();
  await store.close();
});

test('folding further in place gives what folding all gives', async () => {
  const store = await openStore({ folder, clock: systemClock });
  await fill(store, 1);
  const events = store.read(sessionId);
  for (const at of [0, 1, 7, 100, events.length])
    expect(foldFurther(foldSession(events.slice(0, at)), events.slice(at))).toEqual(foldSession(events));
  await store.close();
});
