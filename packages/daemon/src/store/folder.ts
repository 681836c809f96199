/**
 * Prepares the state folder: local, owned by us, 0700 whatever the umask. Invariant: a folder that is refused is left
 * as it was found.
 */
import { chmod, lstat, mkdir, open, readFile, realpath, statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { isZerdError, ZerdError } from '@zerd/protocol/common/errors';
import { codeOf, messageOf } from './failure.ts';
import { remoteByMagic, remoteFileSystem } from './network-file-system.ts';

/** Resolves with the folder's real path; rejects with store_unsafe. */
export async function prepareFolder(folder: string, mountInfoFile = '/proc/self/mountinfo'): Promise<string> {
  try {
    const remote = await remoteUnder(await nearestReal(resolve(folder)), mountInfoFile);
    if (remote !== undefined) throw remoteFolder(folder, remote);
    await makePrivateFolder(folder);
    return await realpath(folder);
  } catch (error) {
    if (isZerdError(error) || codeOf(error) === '') throw error;
    throw unsafe(`The state folder ${folder} cannot be used: ${messageOf(error)}.`);
  }
}

/** Creates the folder (0700) or narrows it to 0700. A link in its place is refused. */
export async function makePrivateFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const found = await lstat(folder);
  const { uid, mode } = found;
  if (!found.isDirectory()) throw unsafe(`${folder} is a link: what is written there would lie elsewhere.`);
  if (process.getuid !== undefined && uid !== process.getuid()) {
    throw unsafe(`The state folder ${folder} belongs to another user (uid ${uid}).`);
  }
  if ((mode & 0o777) !== 0o700) await chmod(folder, 0o700);
}

/** Makes the names in a folder durable. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function nearestReal(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' || dirname(path) === path) throw error;
    return nearestReal(dirname(path));
  }
}

async function remoteUnder(path: string, mountInfoFile: string): Promise<string | undefined> {
  if (process.platform !== 'linux') return undefined;
  const mountInfo = await readFile(mountInfoFile, 'utf8').catch(() => undefined);
  return mountInfo === undefined ? remoteByMagic((await statfs(path)).type) : remoteFileSystem(mountInfo, path);
}

function remoteFolder(folder: string, type: string): ZerdError {
  return unsafe(
    `The state folder ${folder} lies on a network file system (${type}), where a crash could lose acknowledged work.`,
  );
}

function unsafe(what: string): ZerdError {
  return new ZerdError('store_unsafe', `${what} Nothing was written. Set XDG_STATE_HOME to a folder on a local disk.`);
}
