/** Finds processes that belong to a test by a text that only it uses: the path of its temporary home. Linux. */
import { readdirSync, readFileSync } from 'node:fs';

export interface Process {
  readonly pid: number;
  readonly command: string;
}

/** Processes other than this one whose environment or arguments hold `text`. */
export function processesWith(text: string): readonly Process[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => read(pid, 'environ').includes(text) || read(pid, 'cmdline').includes(text))
    .filter((pid) => !read(pid, 'stat').includes(') Z '))
    .map((pid) => ({ pid: Number(pid), command: read(pid, 'cmdline').replaceAll('\0', ' ').trim() }));
}

/** The daemons among them. */
export function daemonsWith(text: string): readonly Process[] {
  return processesWith(text).filter(isDaemon);
}

/** Ends the daemons and settles when nothing is left. What else was still alive, or did not end, is an error. */
export async function endDaemons(text: string, withinMs = 5_000): Promise<void> {
  try {
    await gone(
      'before the daemon was asked to end',
      () => processesWith(text).filter((found) => !isDaemon(found) && !isHost(found)),
      withinMs,
    );
  } finally {
    for (const { pid } of daemonsWith(text)) signal(pid, 'SIGTERM');
  }
  await gone('after the daemon was asked to end', () => processesWith(text), withinMs);
}

function isDaemon({ command }: Process): boolean {
  return command.includes('zerdd');
}

/** What commands run under: it ends when its daemon has gone and nothing runs under it. */
function isHost({ command }: Process): boolean {
  return command.includes('command-host');
}

async function gone(when: string, find: () => readonly Process[], withinMs: number): Promise<void> {
  const deadline = performance.now() + withinMs;
  // The look that ends the wait is the one that counts: a daemon may start a short program between two.
  let left = find();
  while (left.length > 0 && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    left = find();
  }
  for (const { pid } of left) signal(pid, 'SIGKILL');
  if (left.length > 0)
    throw new Error(`left alive ${when}: ${left.map(({ pid, command }) => `${pid} ${command}`).join('; ')}`);
}

/** It may have ended by itself meanwhile. */
function signal(pid: number, name: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(pid, name);
  } catch {
    return;
  }
}

/** Empty when the process is gone or is not ours to read. */
function read(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    return '';
  }
}
