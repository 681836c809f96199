/** Runs a program to its end and keeps what it said. Never rejects for an exit code; a run that hangs fails by name. */
import { type ChildProcess, spawn } from 'node:child_process';

export interface Finished {
  /** The exit code, or 128 + the number of the signal that ended it. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Written to its input, which is closed then; absent: /dev/null. */
  readonly stdin?: string;
  /** After that it is killed and the run rejects. */
  readonly deadlineMs?: number;
}

export interface Running {
  readonly child: ChildProcess;
  readonly finished: Promise<Finished>;
  /** What it has said so far. */
  stdout(): string;
}

const signals: Readonly<Record<string, number>> = { SIGINT: 2, SIGKILL: 9, SIGTERM: 15 };

export function runProgram(argv: readonly string[], options: RunOptions): Promise<Finished> {
  return startProgram(argv, options).finished;
}

export function startProgram(argv: readonly string[], options: RunOptions): Running {
  const [program = '', ...args] = argv;
  const { cwd, env, stdin, deadlineMs = 25_000 } = options;
  const child = spawn(program, args, { cwd, env, stdio: [stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'] });
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      said[name] += text;
    });
  }
  child.stdin?.on('error', () => {}).end(stdin);
  const finished = new Promise<Finished>((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`${argv.join(' ')} did not end in ${deadlineMs} ms\n${said.stdout}\n${said.stderr}`));
    }, deadlineMs);
    child.on('error', reject);
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      resolve({ code: code ?? 128 + (signals[signal ?? ''] ?? 0), ...said });
    });
  });
  return { child, finished, stdout: () => said.stdout };
}
