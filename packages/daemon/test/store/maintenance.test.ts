import {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { ArchiveId, CallId, TurnId } from '@zerd/protocol/common/ids';
import Database from 'better-sqlite3';
import { manualClock } from '../../../../test/support/manual-clock.ts';
import { assistant, created, request } from '../../../core/test/session/events.ts';
import { databaseName, openStore } from '../../src/store/open.ts';
import { one, said, temporaryFolder, texts, two } from './temporary.ts';

const clock = manualClock(1_000);
const finished = (archiveId: ArchiveId, shown: string): SessionEvent => ({
  kind: 'toolCall.finished',
  turnId: 'turn_1' as TurnId,
  callId: 'call_1' as CallId,
  outcome: 'ok',
  shown,
  archiveId,
  bytes: 1,
  durationMs: 1,
});

/** The result of an edit. */
const wrote = (before: { readonly before?: string | null }) => ({
  ...(finished('a1b2c3d4e5f6' as ArchiveId, 'edited') as Extract<SessionEvent, { kind: 'toolCall.finished' }>),
  files: [{ path: 'a.txt', hash: 'f'.repeat(64), how: 'written' as const, ...before }],
});

/** Every byte below a folder. */
function everything(folder: string): string {
  return readdirSync(folder)
    .map((name) => join(folder, name))
    .map((path) => (statSync(path).isDirectory() ? everything(path) : readFileSync(path, 'latin1')))
    .join('\n');
}

test('a session that is removed leaves nothing but what it cost, and the others stay', async () => {
  const folder = temporaryFolder();
  const store = await openStore({ folder, clock });
  const own = await store.archive.put('a body of the first alone');
  const shared = await store.archive.put('a body of both');
  await store.append(one, [created, said('CANARY'), finished(own, 'own'), finished(shared, 'shared')]);
  await store.append(one, [request('req_1'), assistant('req_1')]);
  await store.append(two, [created, said('stays'), finished(shared, 'shared')]);
  const before = store.totals();
  await store.removeSession(one);
  expect([store.session(one), store.read(one)]).toEqual([undefined, []]);
  expect(store.totals()).toEqual(before);
  expect(texts(store.read(two)).slice(1, 2)).toEqual([[2, 'stays']]);
  expect(await store.archive.locate(own)).toBe(undefined);
  expect((await store.archive.locate(shared))?.bytes).toBe(14);
  await store.close();
  expect(everything(folder)).not.toContain('CANARY');
  const again = await openStore({ folder, clock });
  again.rebuildProjections();
  expect([again.totals(), again.sessions().map(({ sessionId }) => sessionId)]).toEqual([before, [two]]);
  await again.close();
});

test('a body that another session names by its whole hash alone stays, by whichever length the removed one named it', async () => {
  const folder = temporaryFolder();
  const store = await openStore({ folder, clock });
  const body = await store.archive.put('what a file held');
  const hash = basename((await store.archive.locate(body))?.file ?? '');
  await store.append(one, [created, finished(body, 'read')]);
  await store.append(two, [created, wrote({ before: hash })]);
  await store.removeSession(one);
  expect((await store.archive.locate(hash))?.bytes).toBe(16);
  await store.close();
});

test('what a file held before is not known any more when it held a secret that is forgotten', async () => {
  const folder = temporaryFolder();
  const store = await openStore({ folder, clock });
  const kept = await store.archive.put('key=sk-canary-4711');
  const hash = basename((await store.archive.locate(kept))?.file ?? '');
  await store.append(one, [created, wrote({ before: hash }), wrote({ before: null })]);
  await store.forget('sk-canary-4711');
  const files = store.read(one).map(({ event }) => (event.kind === 'toolCall.finished' ? event.files : undefined));
  expect(files).toEqual([undefined, wrote({}).files, wrote({ before: null }).files]);
  await store.close();
});

test('after it the log is append-only as before, and the removal is on record', async () => {
  const folder = temporaryFolder();
  const store = await openStore({ folder, clock });
  await store.append(one, [created]);
  await store.removeSession(one);
  await store.append(two, [created]);
  await store.close();
  const db = new Database(join(folder, databaseName));
  expect(() => db.prepare("UPDATE events SET data = '{}'").run()).toThrow('append-only: no UPDATE');
  expect(() => db.prepare('DELETE FROM events').run()).toThrow('append-only: no DELETE');
  expect(db.prepare('SELECT kind, data FROM maintenance').all()).toEqual([
    { kind: 'session.removed', data: JSON.stringify({ sessionId: one, events: 1 }) },
  ]);
  db.close();
});

test('a secret that is forgotten is nowhere any more: not in events, bodies, files, free pages or the log beside them', async () => {
  const folder = temporaryFolder();
  const secret = 'sk-"canary"\\4711';
  const store = await openStore({ folder, clock });
  const body = await store.archive.put(`key=${secret}\nport=1`);
  const other = await store.archive.put('no secret');
  await store.append(one, [
    created,
    said(`my key is ${secret}`),
    finished(body, `recall {"id":"${body}"}: key=${secret}`),
  ]);
  await store.append(one, [said('afterwards'), finished(other, 'no secret')]);
  writeFileSync(join(folder, 'zerdd.log'), JSON.stringify({ msg: `saw ${secret}` }));
  const { epoch } = store;
  expect(await store.forget(secret)).toEqual({ events: 2, bodies: 1, files: 1 });
  const [, message, result] = store.read(one).map(({ event }) => event);
  const now = result?.kind === 'toolCall.finished' ? (result.archiveId ?? '') : '';
  expect(message).toMatchObject({ text: 'my key is [forgotten]' });
  expect(result).toMatchObject({ shown: `recall {"id":"${now}"}: key=[forgotten]` });
  const stored = await store.archive.locate(now);
  expect(readFileSync(stored?.file ?? '', 'utf8')).toBe('key=[forgotten]\nport=1');
  expect(await store.archive.locate(body)).toBe(undefined);
  expect((await store.archive.locate(other))?.bytes).toBe(9);
  await store.close();
  for (const form of [secret, JSON.stringify(secret).slice(1, -1)]) expect(everything(folder)).not.toContain(form);
  const again = await openStore({ folder, clock });
  expect(again.epoch).not.toBe(epoch);
  await again.close();
});

test('S-64: a secret is blanked out in what a job wrote, while the job goes on writing, however far in it stands', async () => {
  const folder = temporaryFolder();
  const secret = 'sk-canary-4711';
  const store = await openStore({ folder, clock });
  const job = join(folder, 'jobs/job_1');
  mkdirSync(job, { recursive: true });
  // Across the end of a piece, too.
  const far = `${'.'.repeat(4 * 1024 * 1024 - 5)}${secret}${'.'.repeat(100)}`;
  const output = openSync(join(job, 'output'), 'a', 0o600);
  writeSync(output, `${secret} ${secret}\n${far}`);
  writeFileSync(join(job, 'job.json'), JSON.stringify({ command: `echo ${secret}` }));
  writeFileSync(join(job, 'shown'), '12');
  const { size } = fstatSync(output);
  expect(await store.forget(secret)).toEqual({ events: 0, bodies: 0, files: 2 });
  writeSync(output, 'the end\n');
  const now = readFileSync(join(job, 'output'), 'utf8');
  expect([now.length, now.endsWith('the end\n'), now.includes(secret)]).toEqual([size + 8, true, false]);
  expect(now.startsWith(`${'*'.repeat(14)} ${'*'.repeat(14)}\n`)).toBe(true);
  expect(JSON.parse(readFileSync(join(job, 'job.json'), 'utf8'))).toEqual({ command: `echo ${'*'.repeat(14)}` });
  closeSync(output);
  await store.close();
  expect(everything(folder)).not.toContain(secret);
});

test('forgetting what was never there changes nothing', async () => {
  const folder = temporaryFolder();
  const store = await openStore({ folder, clock });
  await store.append(one, [created, said('a')]);
  const before = store.read(one);
  expect(await store.forget('never there')).toEqual({ events: 0, bodies: 0, files: 0 });
  expect(store.read(one)).toEqual(before);
  await store.close();
});
