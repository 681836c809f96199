/**
 * The store on an opened database. The writer and its callers meet only in a promise of the commit, so that the writer
 * can move to a thread of its own. Invariant (I1): nobody hears of an event before it is committed.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type ErrorCode, ZerdError } from '@zerd/protocol/common/errors';
import type { LoggedEvent, SessionEvent } from '@zerd/protocol/common/event';
import type { SessionId } from '@zerd/protocol/common/ids';
import type { Clock } from '@zerd/protocol/node/clock';
import type Database from 'better-sqlite3';
import type { Log } from '../base/log.ts';
import type { NotesFiles } from '../base/memory-ports.ts';
import type { Archive, Store, Transcripts } from '../base/ports.ts';
import { openBodies } from './archive-bodies.ts';
import { codeOf, storeFailed } from './failure.ts';
import { createFolds } from './folds.ts';
import { createGroupCommit } from './group-commit.ts';
import { type InPlace, watchPlace } from './in-place.ts';
import type { LookThrough } from './look-through.ts';
import { createMaintenance } from './maintenance.ts';
import { createProjections } from './projections.ts';
import { createQueries } from './queries.ts';
import type { Reserve } from './reserve.ts';
import { rewriteFiles } from './rewrite-files.ts';
import { type Append, createWriteBatch } from './write-batch.ts';
import { createWriteFork } from './write-fork.ts';

export interface OpenedStore extends Store {
  /** What became of a damaged predecessor, for people; undefined: there was none. */
  readonly movedAside: string | undefined;
  /** Folds the tables beside the log anew. */
  rebuildProjections(): void;
  /** How it stands with the database. */
  health(): StoreHealth;
  releaseReserve(): boolean;
}

export interface StoreHealth {
  readonly checked: ReturnType<LookThrough['state']>;
  readonly file: string;
  /** A file of it that was deleted or replaced while it was used. */
  readonly lost: string | undefined;
  /** Bytes of removed sessions are in it yet: there was no room to write it anew. */
  readonly leftBytes: boolean;
}

export interface StoreParts {
  readonly db: Database.Database;
  /** Looks through it while it is used; absent: that was done before. */
  readonly looking?: LookThrough;
  readonly archive: Archive;
  /** Where all of it lies. */
  readonly folder: string;
  readonly transcripts: Transcripts;
  readonly notesFiles: NotesFiles;
  /** Absent: none is kept. */
  readonly reserve?: Reserve;
  readonly clock: Clock;
  readonly log: Log;
  readonly windowMs: number;
  readonly movedAside: string | undefined;
}

type Listener = (sessionId: SessionId, events: readonly LoggedEvent[]) => void;

/** How long another process may hold the database before an append fails, and how often it is tried meanwhile. */
const busyPatienceMs = 30_000;
const busyPauseMs = 50;
/** How long what was reserved stays given away. */
const reserveAfterMs = 60_000;

export function createStore(parts: StoreParts): OpenedStore {
  const { db, archive, folder, transcripts, notesFiles, clock, log, windowMs, movedAside } = parts;
  db.pragma('busy_timeout = 10');
  const projections = createProjections(db);
  projections.rebuildIfForeign();
  const writeBatch = createWriteBatch(db, projections);
  const writeFork = createWriteFork(db, projections);
  const place = watchPlace(db);
  const listeners = new Set<Listener>();
  const tell = (sessionId: SessionId, events: readonly LoggedEvent[]) => tellAll(listeners, log, sessionId, events);
  const group = createGroupCommit<Append, readonly LoggedEvent[]>({
    commit: (batch) => patiently(() => writeBatch(batch), clock, place),
    committed({ sessionId }, events) {
      tell(sessionId, events);
      keepReserve();
    },
    clock,
    windowMs,
  });
  let closed = false;
  let spentAt: number | undefined;

  /** Not at once: what the room was given away for may not be over yet. */
  function keepReserve(): void {
    if (spentAt === undefined || clock.now() - spentAt < reserveAfterMs) return;
    spentAt = undefined;
    parts.reserve?.restore();
  }

  function releaseReserve(): boolean {
    const released = parts.reserve?.release() ?? false;
    if (released) spentAt = clock.now();
    return released;
  }

  async function append(sessionId: SessionId, events: readonly SessionEvent[]): Promise<readonly LoggedEvent[]> {
    if (closed) throw refusal('shutting_down', 'The store is closed.');
    if (events.length === 0) return [];
    return group.submit(encode(sessionId, events, clock.wall()));
  }

  const fork: Store['fork'] = async (wish) => {
    if (closed) throw refusal('shutting_down', 'The store is closed.');
    await patiently(() => writeFork({ ...wish, at: clock.wall() }), clock, place);
  };

  async function close(): Promise<void> {
    closed = true;
    parts.looking?.[Symbol.dispose]();
    await group.drain();
    db.close();
  }

  function onCommit(listener: Listener): Disposable {
    // Registered twice, called twice.
    const own: Listener = (sessionId, events) => listener(sessionId, events);
    listeners.add(own);
    return { [Symbol.dispose]: () => void listeners.delete(own) };
  }

  const maintenance = createMaintenance({
    db,
    projections,
    bodies: openBodies(join(folder, 'archive'), archive),
    rewriteFiles: (secret, replacement) => rewriteFiles(folder, secret, replacement),
    now: clock.wall,
    releaseReserve,
    log,
  });
  /** After everything that is on its way, so that nothing is written behind it. */
  async function quietly<T>(work: () => Promise<T>): Promise<T> {
    await group.drain();
    return work();
  }
  const { rebuild: rebuildProjections } = projections;
  return {
    ...createQueries(db),
    archive,
    folder,
    transcripts,
    notesFiles,
    movedAside,
    folds: createFolds(db),
    releaseReserve,
    append,
    removeSession: (sessionId) =>
      quietly(async () => {
        await maintenance.removeSession(sessionId);
        for (const file of [join('transcripts', `${sessionId}.jsonl`), join('notes', `${sessionId}.md`)])
          await removeText(join(folder, file));
      }),
    forget: (secret) => quietly(() => maintenance.forget(secret)),
    fork,
    onCommit,
    close,
    rebuildProjections,
    health: () => ({
      checked: parts.looking?.state() ?? 'sound',
      file: db.name,
      lost: place.lost(),
      leftBytes: maintenance.leftBytes(),
    }),
  };
}

async function removeText(file: string): Promise<void> {
  try {
    await rm(file, { force: true });
  } catch (error) {
    // A file stands where the folder was: then there is none in it.
    if (codeOf(error) === 'ENOTDIR') return;
    throw storeFailed('The session was removed, but not all of its texts', error, `Remove ${file} yourself.`);
  }
}

function encode(sessionId: SessionId, events: readonly SessionEvent[], at: number): Append {
  try {
    return { sessionId, at, events: events.map((event) => ({ event, data: JSON.stringify(event) })) };
  } catch (error) {
    throw storeFailed('The events cannot be written as JSON', error, 'None of them was kept.');
  }
}

/** Another process that reads or holds the database is waited for without blocking the daemon (F-38). */
async function patiently<T>(commit: () => T, clock: Clock, place: InPlace): Promise<T> {
  const deadline = clock.now() + busyPatienceMs;
  for (;;) {
    try {
      place.require();
      return commit();
    } catch (error) {
      if (!codeOf(error).startsWith('SQLITE_BUSY') || clock.now() >= deadline) throw commitFailed(error);
    }
    await clock.sleep(busyPauseMs);
  }
}

function commitFailed(error: unknown): ZerdError {
  const kept =
    'None of these events was kept; everything acknowledged before is safe. Free space or mend the disk, then continue.';
  return storeFailed('The session database could not commit', error, kept);
}

/** A listener's defect is its own: the event is committed, and the others hear of it. */
function tellAll(
  listeners: ReadonlySet<Listener>,
  log: Log,
  sessionId: SessionId,
  events: readonly LoggedEvent[],
): void {
  for (const listener of [...listeners]) {
    try {
      listener(sessionId, events);
    } catch (error) {
      log.error('A listener of the store failed.', { error, sessionId });
    }
  }
}

function refusal(code: ErrorCode, what: string): ZerdError {
  return new ZerdError(code, `${what} Nothing was kept of this; ask again.`);
}
