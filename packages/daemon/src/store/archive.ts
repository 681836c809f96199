/**
 * The archive: full bodies by the SHA-256 of their bytes, in `<folder>/<first two digits>/<hash>`. Invariants: a body is
 * under its name whole and synced, or not at all; an id that was given out finds the same body for ever.
 */
import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, readdirSync, renameSync, statSync } from 'node:fs';
import { chmod, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { ArchiveId } from '@zerd/protocol/common/ids';
import { isLeftByDead } from '../base/is-alive.ts';
import type { Archive } from '../base/ports.ts';
import { chooseName, findName, idOfName, nameOfHash } from './archive-names.ts';
import { storeFailed } from './failure.ts';
import { makePrivateFolder, syncFolder } from './folder.ts';

/** Makes the folder when missing, and removes what dead processes left half-written in it. */
export async function openArchive(folder: string): Promise<Archive> {
  const spool = join(folder, 'spool');
  await orStoreFailed(async () => {
    await makePrivateFolder(folder);
    await makePrivateFolder(spool);
    await sweep(spool);
  });

  const spoolPath = () => join(spool, `${ownPrefix}${randomUUID()}`);

  async function put(body: string | Uint8Array): Promise<ArchiveId> {
    const bytes = bytesOf(body);
    const hash = sha256(bytes);
    return orStoreFailed(async () => {
      const present = findStored(folder, hash);
      if (present?.bytes === bytes.length) return present.id;
      const file = spoolPath();
      try {
        await writeDurably(file, bytes);
        return await claim(folder, hash, file);
      } finally {
        await rm(file, { force: true });
      }
    });
  }

  async function adopt(file: string): Promise<ArchiveId> {
    return orStoreFailed(async () => {
      const hash = await hashFile(file);
      const present = findStored(folder, hash);
      if (present?.bytes !== (await stat(file)).size) return claim(folder, hash, await settleFile(file));
      await rm(file, { force: true });
      return present.id;
    });
  }

  async function locate(id: string) {
    if (!/^[0-9a-f]{12,64}$/.test(id)) return undefined;
    const name = findName(namesIn(folder, id), id);
    return name === undefined ? undefined : describe(folder, name);
  }

  function idOf(body: string | Uint8Array): ArchiveId {
    const hash = sha256(bytesOf(body));
    return idOfName(chooseName(namesIn(folder, hash), hash));
  }

  return { put, adopt, locate, idOf, spoolPath };
}

/** The pid and a mark of this very process: a pid may come again. */
const ownPrefix = `${process.pid}-${randomUUID()}-`;

/** Sparing: a file whose maker lives, or that nobody here made, stays. */
async function sweep(spool: string): Promise<void> {
  for (const name of await readdir(spool)) {
    if (isLeftByDead(name, /^([1-9][0-9]*)(-[0-9a-f-]{36}){2}$/, ownPrefix))
      await rm(join(spool, name), { force: true });
  }
}

function bytesOf(body: string | Uint8Array): Uint8Array {
  return typeof body === 'string' ? Buffer.from(body, 'utf8') : body;
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

async function hashFile(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

async function orStoreFailed<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw storeFailed(
      'The archive could not keep a body',
      error,
      'Nothing was kept of it; what was archived before is safe.',
    );
  }
}

function shelf(folder: string, hash: string): string {
  return join(folder, hash.slice(0, 2));
}

function namesIn(folder: string, hash: string): readonly string[] {
  const prefix = hash.slice(0, 12);
  return namesOn(shelf(folder, hash)).filter((name) => name.startsWith(prefix));
}

function namesOn(place: string): readonly string[] {
  // A file in its place holds no body.
  return statSync(place, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(place) : [];
}

function describe(folder: string, name: string) {
  const file = join(shelf(folder, name), name);
  return { id: idOfName(name), file, bytes: statSync(file).size };
}

function findStored(folder: string, hash: string) {
  const name = nameOfHash(namesIn(folder, hash), hash);
  return name === undefined ? undefined : describe(folder, name);
}

async function writeDurably(file: string, bytes: Uint8Array): Promise<void> {
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Makes private and durable what a command has written. */
async function settleFile(file: string): Promise<string> {
  await chmod(file, 0o600);
  const handle = await open(file, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
  return file;
}

/** Gives the body its name. Choosing and renaming are one step, so that two bodies never get the same id. */
async function claim(folder: string, hash: string, file: string): Promise<ArchiveId> {
  await makePrivateFolder(shelf(folder, hash));
  const name = chooseName(namesIn(folder, hash), hash);
  renameSync(file, join(shelf(folder, hash), name));
  await syncFolder(shelf(folder, hash));
  await syncFolder(folder);
  return idOfName(name);
}
