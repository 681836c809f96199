/**
 * Opens the database file so that it keeps its promises: private, write-ahead log, every commit synced, sound, of this
 * build's schema. Invariant: only a damaged database is moved aside, whole and under a dated name; any other trouble
 * leaves it where it is.
 */
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { ZerdError } from '@zerd/protocol/common/errors';
import type { Clock } from '@zerd/protocol/node/clock';
import Database from 'better-sqlite3';
import { isDamage, messageOf, storeFailed } from './failure.ts';
import { migrate, refuseNewer } from './migrate.ts';

export interface OpenedDatabase {
  readonly db: Database.Database;
  /** What became of a damaged predecessor, for people; undefined: there was none. */
  readonly movedAside: string | undefined;
}

/** Before it, two connections could damage the log when it restarts: https://www.sqlite.org/wal.html, 2026-11-29. */
const oldestSqlite = [3, 51, 3] as const;
const parts = ['', '-wal', '-shm'] as const;

/** Throws store_unsafe or store_failed. */
export function openDatabase(file: string, clock: Clock): OpenedDatabase {
  try {
    return openOrReplace(file, clock);
  } catch (error) {
    throw storeFailed(`The session database ${file} cannot be opened`, error, 'It was kept as it is.');
  }
}

function openOrReplace(file: string, clock: Clock): OpenedDatabase {
  try {
    return { db: openSound(file), movedAside: undefined };
  } catch (error) {
    const damage = damageOf(error);
    if (damage === undefined) throw error;
    const movedAside = moveAside(file, damage, clock);
    rmSync(suspectMark(file), { force: true });
    return { db: openSound(file), movedAside };
  }
}

function openSound(file: string): Database.Database {
  refuseLinks(file);
  refuseOrphanLog(file);
  makePrivate(file);
  const db = new Database(file, { timeout: 5_000 });
  try {
    requireSqlite(String(db.prepare('SELECT sqlite_version()').pluck().get()));
    refuseNewer(db, file);
    setPromises(db);
    requireSound(db, file);
    migrate(db);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** The same code as SQLite's own finding. */
function damaged(what: string): Error {
  return Object.assign(new Error(what), { code: 'SQLITE_CORRUPT' });
}

/** SQLite follows them. */
function refuseLinks(file: string): void {
  const link = parts
    .map((part) => file + part)
    .find((path) => lstatSync(path, { throwIfNoEntry: false })?.isFile() === false);
  if (link !== undefined)
    throw new ZerdError(
      'store_unsafe',
      `${link} is no file of its own. Nothing was written; move it away and try again.`,
    );
}

/** SQLite would silently drop the log of a database that was cut to nothing. */
function refuseOrphanLog(file: string): void {
  const isEmpty = sizeOf(file) === 0;
  if (isEmpty && sizeOf(`${file}-wal`) > 0) throw damaged('the file is empty beside a log that is not');
}

function sizeOf(file: string): number {
  return existsSync(file) ? statSync(file).size : 0;
}

/** SQLite gives -wal and -shm the mode of the main file. */
function makePrivate(file: string): void {
  closeSync(openSync(file, 'a', 0o600));
  for (const part of parts) if (existsSync(file + part)) chmodSync(file + part, 0o600);
}

/** Throws store_unsafe below 3.51.3. */
export function requireSqlite(version: string): void {
  const found = version.split('.').map(Number);
  const first = oldestSqlite.findIndex((wanted, index) => found[index] !== wanted);
  if (first === -1 || (found[first] ?? 0) > (oldestSqlite[first] ?? 0)) return;
  const message = `SQLite ${version} is older than ${oldestSqlite.join('.')} and may damage its log. Nothing was written. Reinstall zerd.`;
  throw new ZerdError('store_unsafe', message);
}

function setPromises(db: Database.Database): void {
  keepPromise(db, 'journal_mode', 'wal');
  keepPromise(db, 'synchronous', 2);
  keepPromise(db, 'foreign_keys', 1);
  if (process.platform === 'darwin') keepPromise(db, 'fullfsync', 1);
}

/** Sets a pragma and believes only what can be read back. */
function keepPromise(db: Database.Database, pragma: string, value: string | number): void {
  db.pragma(`${pragma} = ${value}`);
  const found = db.pragma(pragma, { simple: true });
  if (found === value) return;
  throw new ZerdError(
    'store_unsafe',
    `The session database refuses ${pragma} = ${value} (it says ${String(found)}). Nothing was written. Set XDG_STATE_HOME to a local disk.`,
  );
}

/** Up to here the whole is looked through before it is used: about half a second. More is looked through behind it. */
export const quickCheckBytes = 64 * 1024 * 1024;

function requireSound(db: Database.Database, file: string): void {
  const whole = sizeOf(file) <= quickCheckBytes || isSuspect(file);
  const checks = whole ? ['1'] : ['meta', 'sessions', 'usage', 'maintenance'].filter((name) => hasTable(db, name));
  for (const what of checks) {
    const said = db.pragma(`quick_check(${what})`, { simple: true });
    if (said !== 'ok') throw damaged(String(said));
  }
  if (!whole && sizeOf(`${file}-wal`) === 0) requireLength(db, file);
  rmSync(suspectMark(file), { force: true });
}

/** With nothing in the log, all pages lie in the file. */
function requireLength(db: Database.Database, file: string): void {
  const pages = Number(db.pragma('page_count', { simple: true })) * Number(db.pragma('page_size', { simple: true }));
  if (sizeOf(file) < pages) throw damaged(`the file has ${sizeOf(file)} bytes and should have ${pages}`);
}

function hasTable(db: Database.Database, name: string): boolean {
  return db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(name) !== undefined;
}

/** Beside a large database in which damage was found while it was used: the next start looks through the whole. */
function suspectMark(file: string): string {
  return `${file}.suspect`;
}

function isSuspect(file: string): boolean {
  return existsSync(suspectMark(file));
}

export function markSuspect(file: string, damage: string): void {
  writeFileSync(suspectMark(file), `${damage}\n`, { mode: 0o600 });
}

export function damageOf(error: unknown): string | undefined {
  return isDamage(error) ? messageOf(error) : undefined;
}

function moveAside(file: string, damage: string, clock: Clock): string {
  const aside = freeName(`${file}.damaged-${new Date(clock.wall()).toISOString().replaceAll(':', '-')}`);
  for (const part of parts) if (existsSync(file + part)) renameSync(file + part, aside + part);
  syncFolder(dirname(file));
  return (
    `The session database ${file} was damaged (${damage}). It was kept as ${aside}, and a new one was started. ` +
    `\`zerd export SESSION\` writes what can be read of a session; of the whole: sqlite3 '${aside}' .recover`
  );
}

/** A new database must never come to lie beside the old log. */
function syncFolder(folder: string): void {
  const fd = openSync(folder, 'r');
  fsyncSync(fd);
  closeSync(fd);
}

function freeName(wish: string): string {
  for (let count = 1; ; count++) {
    const name = count === 1 ? wish : `${wish}-${count}`;
    if (!parts.some((part) => existsSync(name + part))) return name;
  }
}
