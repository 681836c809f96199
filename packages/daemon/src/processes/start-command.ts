/**
 * Starts a shell command in its own session, without input and without a terminal, its output in one pipe. Invariant:
 * what could not start is a value, and nothing of the attempt stays open.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, existsSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { commandEnv } from './command-env.ts';
import { openOutputPipe } from './output-pipe.ts';
import type { ProcessTree } from './process-tree.ts';

export interface CommandToStart {
  readonly command: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** A free private path for the pipe. */
  readonly pipePath: string;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export type Started =
  | {
      readonly ok: true;
      readonly tree: ProcessTree;
      /** stdout and stderr in order of arrival. May stay open after the exit, held by what was left behind. */
      readonly output: Readable & { unref?(): unknown };
      readonly exited: Promise<Exit>;
    }
  | { readonly ok: false; readonly code: string };

/** Models write bash; where it is not installed, they get sh. */
export function shellPath(): string {
  return ['/bin/bash', '/usr/bin/bash'].find((path) => existsSync(path)) ?? '/bin/sh';
}

export async function startCommand(wish: CommandToStart): Promise<Started> {
  // Opens nothing and names nobody: it only tells whose a process is.
  const mark = `SHELL_MARK=${randomBytes(16).toString('hex')}`;
  const pipe = await openOutputPipe(wish.pipePath).catch(() => undefined);
  try {
    const child = pipe === undefined ? spawnJoined(wish, mark) : spawnOn(wish, mark, pipe.writer);
    const exited = exitOf(child);
    await spawned(child);
    return { ok: true, tree: { pid: pidOf(child), mark }, output: outputOf(child, pipe?.reader), exited };
  } catch (error) {
    pipe?.reader.destroy();
    return { ok: false, code: codeOf(error) };
  } finally {
    if (pipe !== undefined) closeSync(pipe.writer);
  }
}

function spawnOn(wish: CommandToStart, mark: string, writer: number): ChildProcess {
  return spawn(shellPath(), ['-c', wish.command], { ...options(wish, mark), stdio: ['ignore', writer, writer] });
}

/** Without a FIFO: the shell itself joins the two, and `/dev/stderr` cannot be opened by name. */
function spawnJoined(wish: CommandToStart, mark: string): ChildProcess {
  const args = ['-c', 'exec "$0" -c "$1" 2>&1', shellPath(), wish.command];
  return spawn('/bin/sh', args, { ...options(wish, mark), stdio: ['ignore', 'pipe', 'ignore'] });
}

function options(wish: CommandToStart, mark: string) {
  const [name = '', value] = mark.split('=');
  return { cwd: wish.cwd, env: { ...commandEnv(wish.env), [name]: value }, detached: true };
}

function exitOf(child: ChildProcess): Promise<Exit> {
  return new Promise((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })));
}

function spawned(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
}

function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : String(error);
}

/** Never 0: as a group that would be our own. */
function pidOf(child: ChildProcess): number {
  if (child.pid === undefined) throw new Error('the command has no process id');
  return child.pid;
}

function outputOf(child: ChildProcess, reader: Socket | undefined): Readable {
  const output = reader ?? child.stdout;
  if (output === null) throw new Error('the command has no output');
  return output;
}
