/**
 * Starts a shell command in its own session, without input and without a terminal, its output in one pipe. Invariant:
 * when it cannot start this rejects, and nothing of the attempt stays open.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { heldAt } from './held-file.ts';
import { openOutputPipe } from './output-pipe.ts';

export interface CommandToStart {
  readonly command: string;
  readonly cwd: string;
  /** All of its environment. */
  readonly env: Readonly<Record<string, string>>;
  /** A free private path for the pipe. */
  readonly pipePath: string;
  /** A file that it and all it starts have open at `heldAt`; absent: none. */
  readonly held?: number | undefined;
}

export interface StartedCommand {
  readonly child: ChildProcess;
  /** stdout and stderr in order of arrival. May stay open after the exit, held by what was left behind. */
  readonly output: Readable;
  readonly exited: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
}

/** Models write bash; where it is not installed, they get sh. */
export function shellPath(): string {
  return ['/bin/bash', '/usr/bin/bash'].find((path) => existsSync(path)) ?? '/bin/sh';
}

export async function startCommand(wish: CommandToStart): Promise<StartedCommand> {
  const pipe = await openOutputPipe(wish.pipePath).catch(() => undefined);
  try {
    const child = pipe === undefined ? spawnJoined(wish) : spawnOn(wish, pipe.writer);
    const exited = exitOf(child);
    await spawned(child);
    return { child, output: outputOf(child, pipe?.reader), exited };
  } catch (error) {
    pipe?.reader.destroy();
    throw error;
  } finally {
    if (pipe !== undefined) closeSync(pipe.writer);
  }
}

function spawnOn(wish: CommandToStart, writer: number): ChildProcess {
  return spawn(shellPath(), ['-c', wish.command], { ...options(wish), stdio: stdioOf(wish, writer, writer) });
}

/** Without a FIFO: the shell itself joins the two, and `/dev/stderr` cannot be opened by name. */
function spawnJoined(wish: CommandToStart): ChildProcess {
  const args = ['-c', 'exec "$0" -c "$1" 2>&1', shellPath(), wish.command];
  return spawn('/bin/sh', args, { ...options(wish), stdio: stdioOf(wish, 'pipe', 'ignore') });
}

type Stdio = 'ignore' | 'pipe' | number;

function stdioOf({ held }: CommandToStart, out: Stdio, err: Stdio): Stdio[] {
  const usual: Stdio[] = ['ignore', out, err];
  if (held === undefined) return usual;
  // Those between are closed.
  return [...usual, ...Array.from({ length: heldAt - usual.length }, () => 'ignore' as const), held];
}

function options({ cwd, env }: CommandToStart) {
  return { cwd, env, detached: true };
}

function exitOf(child: ChildProcess): StartedCommand['exited'] {
  return new Promise((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })));
}

function spawned(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
}

function outputOf(child: ChildProcess, reader: Socket | undefined): Readable {
  const output = reader ?? child.stdout;
  if (output === null) throw new Error('the command has no output');
  return output;
}
