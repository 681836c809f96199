/**
 * Starts `zerdd` as a process of its own. Invariant: it gets no provider key, no NODE_OPTIONS and no open file of the
 * client, holds no folder busy, and outlives the client's terminal.
 */
import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { closeSync, constants, fchmodSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ErrorCode, errorTable, ZerdError } from '../common/errors.ts';
import type { Clock } from './clock.ts';
import { inFolder } from './folder-failure.ts';
import { type Env, stateFolder } from './paths.ts';
import { makePrivateFolder } from './private-folder.ts';

/** What `zerdd` exits with when another process owns the repository. */
export const anotherOwnerExit = 75;

export interface StartWish {
  readonly root: string;
  readonly env: Env;
  readonly zerddPath: string;
}

export interface StartedDaemon {
  readonly child: ChildProcess;
  /** Undefined while it runs. */
  exit(): { readonly code: number | null } | undefined;
  readonly exited: Promise<void>;
  /** What it wrote about its failure, as an error. */
  failure(): ZerdError;
}

/** A daemon that stays when the client ends. */
export function startDaemon(wish: StartWish): StartedDaemon {
  return start(wish, [], (errors) => ['ignore', 'ignore', errors], true);
}

/** A daemon that speaks over its stdin and stdout and ends with its stdin. */
export function startPrivateDaemon(wish: StartWish): StartedDaemon {
  return start(wish, ['--stdio'], (errors) => ['pipe', 'pipe', errors], false);
}

const trialMs = 30_000;

/** Whether a daemon could start from this installation: nothing of a repository is opened, and nothing stays. */
export async function tryDaemon(wish: StartWish, clock: Clock): Promise<ZerdError | undefined> {
  const daemon = start(wish, ['check'], (errors) => ['ignore', 'ignore', errors], false);
  const limit = clock.setTimer(trialMs, () => daemon.child.kill('SIGKILL'));
  await daemon.exited;
  limit[Symbol.dispose]();
  return daemon.exit()?.code === 0 ? undefined : daemon.failure();
}

function start(
  { root, env, zerddPath }: StartWish,
  args: readonly string[],
  stdio: (errors: number) => StdioOptions,
  outlives: boolean,
): StartedDaemon {
  const folder = stateFolder(root, env);
  const file = join(folder, 'zerdd.stderr.log');
  const errors = inFolder('state', folder, () => {
    makePrivateFolder(folder);
    return openErrors(file);
  });
  const from = fstatSync(errors).size;
  // A session of its own: an interrupt typed at the client's terminal is the client's to pass on.
  const options = { cwd: '/', env: cleanEnv(env), detached: true, stdio: stdio(errors) };
  const child = spawn(process.execPath, [zerddPath, '--root', root, ...args], options);
  closeSync(errors);
  if (outlives) child.unref();
  return { child, ...watchExit(child), failure: () => startFailure(child, file, from) };
}

function watchExit(child: ChildProcess): Pick<StartedDaemon, 'exit' | 'exited'> {
  let exit: { readonly code: number | null } | undefined;
  const exited = new Promise<void>((resolve) => {
    const settle = (code: number | null) => {
      exit ??= { code };
      resolve();
    };
    child.once('exit', settle);
    child.once('error', () => settle(null));
  });
  return { exit: () => exit, exited };
}

/** Names that a daemon may inherit; a session's environment comes with `initialize`. */
const inherited = /^(?:HOME|PATH|USER|LOGNAME|LANG|LC_\w+|TZ|TMPDIR|XDG_\w+|ZERD_CONFIG_DIR)$/;

export function cleanEnv(env: Env): Record<string, string> {
  const kept = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return Object.fromEntries(kept.filter(([name]) => inherited.test(name)));
}

const errorsLimit = 1024 * 1024;

function openErrors(file: string): number {
  const flags = constants.O_RDWR | constants.O_CREAT | constants.O_APPEND | constants.O_NOFOLLOW;
  const fd = openSync(file, flags, 0o600);
  fchmodSync(fd, 0o600);
  if (fstatSync(fd).size <= errorsLimit) return fd;
  closeSync(fd);
  return openSync(file, flags | constants.O_TRUNC, 0o600);
}

/** `zerdd` says why it could not start as `zerdd: <code>: <message>`. */
function startFailure(child: ChildProcess, file: string, from: number): ZerdError {
  const said = readFileSync(file).subarray(from).toString('utf8').trim();
  const [, code, message] = /^zerdd: (\w+): (.*)$/m.exec(said) ?? [];
  if (code && message && isErrorCode(code)) return new ZerdError(code, message);
  const lines = said.split('\n');
  const last = (lines.find((line) => line.includes('Error')) ?? lines.at(-1))?.slice(0, 500);
  const how =
    child.pid === undefined ? 'could not be started' : `ended with exit ${child.exitCode ?? child.signalCode}`;
  return new ZerdError('daemon_unavailable', `zerdd ${how}${last ? `: ${last}` : ''}. More may be in ${file}.`);
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorTable, code);
}
