/**
 * Opens the store of one repository: the state folder, the database, the archive. Invariant: it opens on a local folder
 * that only we can read, with every promise of durability read back, or not at all.
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '@zerd/protocol/node/clock';
import { type Log, silentLog } from '../base/log.ts';
import { openArchive } from './archive.ts';
import { createStore, type OpenedStore } from './create-store.ts';
import { openDatabase, quickCheckBytes } from './database.ts';
import { storeFailed } from './failure.ts';
import { prepareFolder } from './folder.ts';
import { lookThrough } from './look-through.ts';
import { openNotesFiles } from './notes-files.ts';
import { openReserve } from './reserve.ts';
import { openTranscripts } from './transcripts.ts';

export interface StoreOptions {
  /** The repository's state folder; made when missing. */
  readonly folder: string;
  readonly clock: Clock;
  /** How long appends are collected for one commit, at most 10; default 0: one turn of the event loop. */
  readonly groupMs?: number;
  readonly log?: Log;
  /** Where the mounts are listed; default /proc/self/mountinfo. */
  readonly mountInfoFile?: string;
}

/** Rejects with store_unsafe or store_failed. The caller holds the repository's lock. */
export async function openStore(options: StoreOptions): Promise<OpenedStore> {
  const { clock, groupMs = 0, log = silentLog } = options;
  const folder = await prepareFolder(options.folder, options.mountInfoFile);
  const archive = await openArchive(join(folder, 'archive'));
  const transcripts = openTranscripts(join(folder, 'transcripts'));
  const notesFiles = openNotesFiles(join(folder, 'notes'));
  const file = join(folder, databaseName);
  const { db, movedAside } = openDatabase(file, clock);
  const told = (damage: string) =>
    log.error(
      `The session database ${file} is damaged: ${damage}. The next start moves it aside; export what you need.`,
    );
  const looking = statSync(file).size > quickCheckBytes ? lookThrough({ db, file, clock, told }) : undefined;
  if (movedAside !== undefined) log.error(movedAside);
  try {
    return createStore({
      db,
      ...(looking === undefined ? {} : { looking }),
      archive,
      folder,
      transcripts,
      notesFiles,
      reserve: openReserve(join(folder, 'reserve')),
      clock,
      log,
      windowMs: Math.min(groupMs, 10),
      movedAside,
    });
  } catch (error) {
    looking?.[Symbol.dispose]();
    db.close();
    throw storeFailed(`The session database in ${folder} cannot be read`, error, 'It was kept as it is.');
  }
}

export const databaseName = 'zerd.db';
