/** Runs a program with an environment of its own and says how long it took, from before its start to its exit. */
import { spawn } from 'node:child_process';

export interface ProgramWish {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface TimedRun {
  /** performance.now() before the process was made. */
  readonly startedAt: number;
  readonly ms: number;
  readonly stdout: string;
}

/** Rejects with what the program wrote when it ends with another status than 0. */
export function timedProgram({ argv, cwd, env }: ProgramWish): Promise<TimedRun> {
  const [program = '', ...args] = argv;
  const startedAt = performance.now();
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let ms = 0;
  const output = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      output[stream] += text;
    });
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => {
      ms = performance.now() - startedAt;
    });
    child.once('close', (code) => {
      const { stdout, stderr } = output;
      if (code === 0) resolve({ startedAt, ms, stdout });
      else reject(new Error(`${argv.slice(1, 3).join(' ')} ended with ${code}:\n${stderr || stdout}`));
    });
  });
}
