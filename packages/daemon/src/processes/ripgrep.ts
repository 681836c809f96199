/**
 * Runs ripgrep and hands over what it prints as it comes. Invariant: no configuration but the arguments has a say, the
 * process is gone when the promise settles, and what it writes is never held whole.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { totalmem } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { rgPath } from '@vscode/ripgrep';
import { ZerdError } from '@zerd/protocol/common/errors';
import { refuseEndless } from './ignore-files.ts';

export interface RipgrepWish {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly signal: AbortSignal;
  /** Called for each chunk of stdout; 'stop' ends the run. */
  readonly onOutput: (chunk: Buffer) => 'go' | 'stop';
  /** Called for each chunk of stderr. */
  readonly onMessage?: (chunk: Buffer) => void;
  /** What to search instead of files. */
  readonly input?: Readable;
  /** In bytes (Linux); absent: half of the machine's, from 1 to 4 GiB. */
  readonly mostMemory?: number;
}

export interface RipgrepEnd {
  /** 0: something was found; 1: nothing; 2: something went wrong; null: it was stopped. */
  readonly code: number | null;
  /** Its beginning, at most 8 kB. */
  readonly stderr: string;
}

/** Rejects with the signal's reason when aborted, when ripgrep cannot be started, or with invalid_params. */
export async function runRipgrep(wish: RipgrepWish): Promise<RipgrepEnd> {
  wish.signal.throwIfAborted();
  if (wish.args.some((arg) => arg.includes('\0'))) return withNul;
  if (wish.input === undefined) refuseEndless(wish.cwd);
  const [program = rgPath, ...args] = [
    ...bounded(wish.mostMemory ?? usualMemory()),
    rgPath,
    '--no-config',
    ...wish.args,
  ];
  const child = spawn(program, args, {
    cwd: wish.cwd,
    env: environment(),
    stdio: [wish.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  }) as ChildProcessByStdio<Writable | null, Readable, Readable>;
  const kill = () => child.kill('SIGKILL');
  wish.signal.addEventListener('abort', kill, { once: true });
  try {
    return await ended(child, wish, kill);
  } finally {
    wish.signal.removeEventListener('abort', kill);
    wish.input?.destroy();
  }
}

/**
 * A tree may hold an ignore file without an end (a link to /dev/zero), which ripgrep reads into memory as it does a line.
 * Counted is memory of its own; files that it maps are not.
 */
function bounded(bytes: number): readonly string[] {
  if (process.platform !== 'linux') return [];
  return ['/bin/sh', '-c', `ulimit -d ${Math.floor(bytes / 1024)} 2>/dev/null; exec "$0" "$@"`];
}

/** Half of the machine's, within reason. */
function usualMemory(): number {
  const gib = 2 ** 30;
  const whole = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
  return Math.min(Math.max(whole / 2, gib), 4 * gib);
}

/** No argument of a process can hold one; it is told as ripgrep tells what it does not take. */
const withNul: RipgrepEnd = { code: 2, stderr: 'error: a NUL byte is written as \\x00' };

function ended(
  child: ChildProcessByStdio<Writable | null, Readable, Readable>,
  wish: RipgrepWish,
  kill: () => void,
): Promise<RipgrepEnd> {
  let stderr = '';
  let stopped = false;
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    // Out of files or processes: there are no streams, and the error comes.
    if (child.pid === undefined) return;
    child.stderr.on('data', (chunk: Buffer) => {
      wish.onMessage?.(chunk);
      if (stderr.length < 8_000) stderr += chunk.toString('utf8').slice(0, 8_000 - stderr.length);
    });
    child.stdout.on('data', (chunk: Buffer) => {
      if (stopped || wish.onOutput(chunk) === 'go') return;
      stopped = true;
      kill();
    });
    child.once('close', (code, endedBy) => {
      if (wish.signal.aborted) reject(wish.signal.reason);
      else if (endedBy === null || stopped) resolve({ code, stderr });
      else reject(brokenOff(endedBy, stderr));
    });
    feed(child.stdin, wish.input, reject, kill);
  });
}

/** What it printed until then is no answer. */
function brokenOff(endedBy: NodeJS.Signals, stderr: string): ZerdError {
  const why = stderr.trim().split('\n')[0] || 'it said nothing';
  const message = `ripgrep was ended by ${endedBy} (${why.slice(0, 200)}), and what it found is not whole. If it ran out of memory: an ignore file that is a link to a device has no end, and a huge file can be left out with \`path\` or \`glob\`.`;
  return new ZerdError('invalid_params', message);
}

function feed(
  stdin: Writable | null,
  input: Readable | undefined,
  reject: (error: unknown) => void,
  kill: () => void,
): void {
  if (stdin === null || input === undefined) return;
  // Ripgrep may close early; that is not a failure.
  stdin.on('error', () => {});
  input.on('error', (error) => {
    kill();
    reject(error);
  });
  input.pipe(stdin);
}

/** HOME for the user's global ignore file; nothing else of the daemon. */
function environment(): Record<string, string> {
  const names = ['HOME', 'XDG_CONFIG_HOME', 'PATH'];
  return Object.fromEntries(
    names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
}
