/**
 * Runs ripgrep and hands over what it prints as it comes. Invariant: no configuration but the arguments has a say, the
 * process is gone when the promise settles, and what it writes is never held whole.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { rgPath } from '@vscode/ripgrep';

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
}

export interface RipgrepEnd {
  /** 0: something was found; 1: nothing; 2: something went wrong; null: it was stopped. */
  readonly code: number | null;
  /** Its beginning, at most 8 kB. */
  readonly stderr: string;
}

/** Rejects with the signal's reason when aborted, or when ripgrep cannot be started. */
export async function runRipgrep(wish: RipgrepWish): Promise<RipgrepEnd> {
  wish.signal.throwIfAborted();
  if (wish.args.some((arg) => arg.includes('\0'))) return withNul;
  const child = spawn(rgPath, ['--no-config', ...wish.args], {
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
    child.once('close', (code) => (wish.signal.aborted ? reject(wish.signal.reason) : resolve({ code, stderr })));
    feed(child.stdin, wish.input, reject, kill);
  });
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
