/**
 * Decides where a repository begins and where its daemon and its state live. Invariant: the same root, user and
 * environment give the same folders in every process, and a socket's path always fits (Node truncates one that does not).
 */
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, realpathSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { ZerdError } from '../common/errors.ts';

export type Env = Readonly<Record<string, string | undefined>>;

/** Bytes a socket's path may have: 107 fit on Linux, 103 on macOS. */
export const socketPathLimit = 100;

const socketName = 'zerdd.sock';

/** The nearest ancestor with `.git`, else with `.zerd`, else the folder itself; a real path. Nothing in it is read. */
export function repositoryRoot(cwd: string): string {
  const start = realFolder(cwd);
  return nearestWith('.git', start) ?? nearestWith('.zerd', start) ?? start;
}

/** The folder's real path. Throws folder_missing. */
export function realFolder(folder: string): string {
  const real = realPath(folder);
  if (real === undefined)
    throw new ZerdError('folder_missing', `The folder ${folder} is gone or cannot be entered. Start in another one.`);
  if (statSync(real).isDirectory()) return real;
  throw new ZerdError('folder_missing', `${folder} is a file, not a folder. Nothing was started; name a folder.`);
}

/** For what is asked of a daemon whose folder was moved or deleted: then the path as it is. */
export function formerFolder(folder: string): string {
  return realPath(folder) ?? resolve(folder);
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

function nearestWith(mark: string, folder: string): string | undefined {
  if (existsSync(join(folder, mark))) return folder;
  const above = dirname(folder);
  return above === folder ? undefined : nearestWith(mark, above);
}

/** Names a repository in paths: 16 hexadecimal digits of its root's SHA-256. */
export function repositoryHash(root: string): string {
  return createHash('sha256').update(root).digest('hex').slice(0, 16);
}

/** Where the daemon's lock, socket and registration are. Not made here: see `makePrivateFolder`. */
export function runtimeFolder(root: string, env: Env): string {
  const hash = repositoryHash(root);
  const [first, ...shorter] = runtimeParents(env).map((parent) => join(parent, hash));
  const fits = [first, ...shorter].find((folder) => folder && socketFits(folder));
  if (fits) return fits;
  throw new ZerdError('store_unsafe', `The path of the socket in ${first} is too long. Set XDG_RUNTIME_DIR shorter.`);
}

/** Where runtime folders may be, the best first: the runtime directory, the state folder, a private one in /tmp. */
export function runtimeParents(env: Env): readonly string[] {
  const own = ownRuntimeDirectory(env);
  const fallbacks = [join(stateHome(env), 'zerd', 'run'), join('/tmp', `zerd-${process.geteuid?.() ?? 0}`)];
  return own ? [join(own, 'zerd'), ...fallbacks] : fallbacks;
}

function ownRuntimeDirectory(env: Env): string | undefined {
  const folder = absolute(env.XDG_RUNTIME_DIR);
  const found = folder && lstatSync(folder, { throwIfNoEntry: false });
  // After `su` the variable may still name the other user's directory.
  return found && found.uid === process.geteuid?.() ? folder : undefined;
}

function socketFits(folder: string): boolean {
  return Buffer.byteLength(socketPath(folder)) <= socketPathLimit;
}

export function socketPath(runtime: string): string {
  return join(runtime, socketName);
}

/** Where the daemon registers: see `registration.ts`. */
export function registrationPath(runtime: string): string {
  return join(runtime, 'zerdd.json');
}

/** Where a repository's database, archive and log are. Not made here. */
export function stateFolder(root: string, env: Env): string {
  return join(stateHome(env), 'zerd', repositoryHash(root));
}

/** Where the user's own settings are; never made by zerd. */
export function configFolder(env: Env): string {
  const named = absolute(env.ZERD_CONFIG_DIR);
  return named ?? join(absolute(env.XDG_CONFIG_HOME) ?? join(home(env), '.config'), 'zerd');
}

export function stateHome(env: Env): string {
  return absolute(env.XDG_STATE_HOME) ?? join(home(env), '.local', 'state');
}

/** `os.homedir` would take an empty or relative HOME as it is: folders would then depend on where a process stands. */
function home(env: Env): string {
  const found = absolute(env.HOME) ?? absolute(recordedHome());
  if (found) return found;
  throw new ZerdError(
    'store_unsafe',
    'No home folder is known, and nothing was written. Set HOME to an absolute path.',
  );
}

function recordedHome(): string | undefined {
  try {
    return userInfo().homedir;
  } catch {
    // A user without a record, as in containers.
    return undefined;
  }
}

/** The XDG specification tells to ignore relative paths. */
function absolute(path: string | undefined): string | undefined {
  return path !== undefined && isAbsolute(path) ? path : undefined;
}
