/** Runs a program of the bench as a process of its own. It says one line when it is ready; its end is asked for by closing its input, and what it says then is its result. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export interface Program {
  /** Its first line. */
  readonly said: string;
  /** Its last line; '' when there is no second one. */
  end(): Promise<string>;
}

export async function beginProgram(name: string, args: readonly string[]): Promise<Program> {
  const child = spawn(process.execPath, [join(import.meta.dirname, `${name}.js`), ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const closed = once(child, 'close');
  const lines = createInterface({ input: child.stdout });
  const [said] = (await Promise.race([once(lines, 'line'), closed])) as [unknown];
  if (typeof said !== 'string') throw new Error(`${name} ended before it was ready`);
  let last = '';
  lines.on('line', (line) => {
    last = line;
  });
  return {
    said,
    async end() {
      child.stdin.end();
      await closed;
      return last;
    },
  };
}

/** For the program itself: settles when it is to end. */
export async function untilAsked(): Promise<void> {
  process.stdin.resume();
  await once(process.stdin, 'end');
}
