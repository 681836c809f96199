import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { systemClock } from '@zerd/protocol/node/clock';
import Database from 'better-sqlite3';
import { manualClock } from '../../../../test/support/manual-clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { openArchive } from '../../src/store/archive.ts';
import { createStore } from '../../src/store/create-store.ts';
import { openDatabase, requireSqlite } from '../../src/store/database.ts';
import { migrate, migrations, refuseNewer } from '../../src/store/migrate.ts';
import { openNotesFiles } from '../../src/store/notes-files.ts';
import { databaseName, openStore } from '../../src/store/open.ts';
import { openTranscripts } from '../../src/store/transcripts.ts';
import { bundleProgram, modulesFolder } from './program.ts';
import { one, said, temporaryFolder, texts } from './temporary.ts';

test('every commit is synced: WAL, synchronous=FULL and foreign keys hold in the connection that writes', () => {
  const { db } = openDatabase(join(temporaryFolder(), databaseName), systemClock);
  const read = (pragma: string) => db.pragma(pragma, { simple: true });
  expect([read('journal_mode'), read('synchronous'), read('foreign_keys')]).toEqual(['wal', 2, 1]);
  db.close();
});

test('a SQLite before 3.51.3 is refused', () => {
  for (const version of ['3.51.2', '3.50.9', '2.99.99'])
    expect(() => requireSqlite(version)).toThrow('older than 3.51.3');
  for (const version of ['3.51.3', '3.51.10', '3.53.2', '4.0.0']) expect(() => requireSqlite(version)).not.toThrow();
});

test('what was acknowledged survives kill -9, without holes', async () => {
  const folder = temporaryFolder();
  const program = bundleProgram('append-forever', temporaryFolder());
  for (let round = 0, kept = 0; round < 3; round++) {
    const acknowledged = await killAfter(program, folder, 40 + 17 * round);
    expect(acknowledged).toBeGreaterThan(kept);
    const store = await openStore({ folder, clock: systemClock });
    const seqs = store.read(one).map(({ seq }) => seq);
    expect(seqs.length).toBeGreaterThanOrEqual(acknowledged);
    expect(seqs).toEqual(Array.from(seqs, (_, index) => index + 1));
    expect([store.session(one)?.lastSeq, store.movedAside]).toEqual([seqs.length, undefined]);
    await store.close();
    kept = seqs.length;
  }
});

test('R-02: a log that is torn at any of 200 places opens, and holds what was committed before the tear', async () => {
  const folder = temporaryFolder();
  const store = await openStore({ folder, clock: systemClock });
  const ends: number[] = [];
  for (let count = 0; count < 12; count++) {
    await store.append(one, [said(`${count}`), said('x'.repeat(count * 700))]);
    ends.push(statSync(join(folder, `${databaseName}-wal`)).size);
  }
  const whole = temporaryFolder();
  for (const part of ['', '-wal']) copyFileSync(join(folder, databaseName + part), join(whole, databaseName + part));
  await store.close();
  const size = ends.at(-1) ?? 0;
  const edges = [0, 1, 31, 32, 33, ...ends.flatMap((end) => [end - 1, end, end + 1]).filter((cut) => cut <= size)];
  const cuts = [
    ...edges,
    ...Array.from({ length: 200 - edges.length }, (_, n) => Math.floor((n * 7_919 * 131) % size)),
  ];
  expect(cuts).toHaveLength(200);
  for (const cut of cuts) {
    const torn = temporaryFolder();
    for (const part of ['', '-wal']) copyFileSync(join(whole, databaseName + part), join(torn, databaseName + part));
    tear(join(torn, `${databaseName}-wal`), cut, cut % 2 === 0);
    const again = await openStore({ folder: torn, clock: systemClock });
    const committed = ends.filter((end) => end <= cut).length;
    expect([cut, again.movedAside, again.read(one).length]).toEqual([cut, undefined, 2 * committed]);
    expect(await again.append(one, [said('on')])).toMatchObject([{ seq: 2 * committed + 1 }]);
    await again.close();
    rmSync(torn, { recursive: true });
  }
});

test('F-39: a damaged database is moved aside whole, reported, and a new one starts', async () => {
  const damages: Record<string, (file: string) => void> = {
    header: (file) => overwrite(file, 0, 100),
    page: (file) => overwrite(file, 4096, 4096),
    truncated: (file) => truncateSync(file, statSync(file).size - 4096),
    'no database': (file) => writeFileSync(file, 'something else'),
    'emptied beside its log': (file) => {
      truncateSync(file, 0);
      writeFileSync(`${file}-wal`, 'w'.repeat(5_000));
    },
  };
  for (const [damage, inflict] of Object.entries(damages)) {
    const folder = temporaryFolder();
    const file = join(folder, databaseName);
    const { epoch } = await filled(folder);
    inflict(file);
    const bytes = readFileSync(file);
    const errors: string[] = [];
    const log = { ...silentLog, error: (message: string) => void errors.push(message) };
    const store = await openStore({ folder, clock: manualClock(Date.UTC(2026, 10, 29, 20, 1, 2)), log });
    const aside = `${file}.damaged-2026-11-29T20-01-02.000Z`;
    expect([damage, readFileSync(aside).equals(bytes)]).toEqual([damage, true]);
    expect([store.epoch === epoch, store.read(one), errors]).toEqual([false, [], [store.movedAside]]);
    expect(store.movedAside).toContain(`It was kept as ${aside}`);
    expect(existsSync(`${aside}-wal`)).toBe(damage === 'emptied beside its log');
    expect(await store.append(one, [said('new')])).toMatchObject([{ seq: 1 }]);
    await store.close();
  }
});

test('two damaged databases within one second are both kept', async () => {
  const folder = temporaryFolder();
  for (const text of ['first', 'second']) {
    writeFileSync(join(folder, databaseName), text.repeat(100));
    const store = await openStore({ folder, clock: manualClock() });
    await store.close();
  }
  const kept = readdirSync(folder).filter((name) => name.includes('damaged'));
  expect(kept.map((name) => readFileSync(join(folder, name), 'utf8').slice(0, 5))).toEqual(['first', 'secon']);
});

test('F-37: on a full disk the append fails and keeps nothing; with space again the next one works', async () => {
  const folder = temporaryFolder();
  const { db } = openDatabase(join(folder, databaseName), systemClock);
  const archive = await openArchive(join(folder, 'archive'));
  const transcripts = openTranscripts(join(folder, 'transcripts'));
  const notesFiles = openNotesFiles(join(folder, 'notes'));
  const parts = {
    db,
    folder,
    archive,
    transcripts,
    notesFiles,
    clock: systemClock,
    log: silentLog,
    windowMs: 0,
    movedAside: undefined,
  };
  const store = createStore(parts);
  const heard: number[] = [];
  store.onCommit((_, events) => void heard.push(...events.map(({ seq }) => seq)));
  await store.append(one, [said('before')]);
  db.pragma(`max_page_count = ${Number(db.pragma('page_count', { simple: true })) + 3}`);
  const results = await Promise.allSettled([
    store.append(one, [said('small')]),
    store.append(one, [said('x'.repeat(100_000))]),
  ]);
  expect(results).toMatchObject([
    { status: 'rejected', reason: { code: 'disk_full', message: expect.stringContaining('SQLITE_FULL') } },
    { status: 'rejected', reason: { code: 'disk_full' } },
  ]);
  expect([texts(store.read(one)), store.session(one)?.lastSeq, heard]).toEqual([[[1, 'before']], 1, [1]]);
  db.pragma('max_page_count = 1000000');
  expect(await store.append(one, [said('after')])).toMatchObject([{ seq: 2 }]);
  expect(heard).toEqual([1, 2]);
  await store.close();
});

test('a database of a newer build is refused and left byte for byte as it was', async () => {
  const folder = temporaryFolder();
  const file = join(folder, databaseName);
  await filled(folder);
  const raw = new Database(file);
  raw.pragma(`user_version = ${migrations.length + 1}`);
  raw.close();
  const bytes = readFileSync(file);
  const opening = openStore({ folder, clock: systemClock });
  await expect(opening).rejects.toMatchObject({
    code: 'store_unsafe',
    message: expect.stringContaining('Update zerd'),
  });
  expect(readFileSync(file).equals(bytes)).toBe(true);
  expect(readdirSync(folder).filter((name) => name.startsWith(databaseName))).toEqual([databaseName]);
});

test('F-30: a migration that fails half-way leaves no trace of any step: the release before opens the database', () => {
  const db = new Database(':memory:');
  const steps = [
    () => db.exec('CREATE TABLE a (x)'),
    () => {
      db.exec('CREATE TABLE b (x)');
      throw new Error('half-way');
    },
  ];
  const tables = () => db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all();
  expect(() => migrate(db, steps)).toThrow('half-way');
  expect([tables(), db.pragma('user_version', { simple: true })]).toEqual([[], 0]);
  expect(() => refuseNewer(db, 'f', [])).not.toThrow();
  steps[1] = () => db.exec('CREATE TABLE c (x)');
  migrate(db, steps);
  expect([tables(), db.pragma('user_version', { simple: true })]).toEqual([['a', 'c'], 2]);
  expect(() => refuseNewer(db, 'f', steps)).not.toThrow();
  expect(() => refuseNewer(db, 'f', [])).toThrow('newer');
  db.close();
});

async function filled(folder: string): Promise<{ readonly epoch: string }> {
  const store = await openStore({ folder, clock: systemClock });
  for (let count = 0; count < 10; count++) await store.append(one, [said('x'.repeat(2_000))]);
  await store.close();
  return store;
}

/** What lay behind the tear is gone, or is what the disk held before. */
function tear(file: string, cut: number, stale: boolean): void {
  if (stale) overwrite(file, cut, statSync(file).size - cut);
  else truncateSync(file, cut);
}

function overwrite(file: string, offset: number, length: number): void {
  const bytes = readFileSync(file);
  bytes.fill(0xa5, offset, offset + length);
  writeFileSync(file, bytes);
}

/** Kills the program once it has acknowledged so many appends; answers with the last number that it printed. */
async function killAfter(program: string, folder: string, appends: number): Promise<number> {
  const env = { NODE_PATH: modulesFolder() };
  const child = spawn(process.execPath, [program, folder], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const exit = once(child, 'exit');
  let printed = '';
  for await (const chunk of child.stdout) {
    printed += String(chunk);
    if (printed.split('\n').length > appends) child.kill('SIGKILL');
  }
  await exit;
  return Number(printed.split('\n').at(-2));
}
