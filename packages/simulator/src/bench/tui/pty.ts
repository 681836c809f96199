/** A program in a terminal of its own, as the benches of the UI need it: what it writes, how soon, and what it costs. */
import { readFileSync } from 'node:fs';
import pty from '@lydell/node-pty';

export interface PtyWish {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly columns: number;
  readonly rows: number;
}

export interface Pty {
  readonly pid: number;
  /** Bytes written so far. */
  bytes(): number;
  /** The newest of it, colours aside: about a screen. */
  tail(): string;
  /** Settles with the milliseconds until what is written from now on holds `text`, colours aside. Rejects after 60 s. */
  shows(text: string): Promise<number>;
  type(text: string): void;
  end(): Promise<void>;
}

const patienceMs = 60_000;
/** More than a screen. */
const mostSeen = 16_000;
const colours = /\x1b\[[\d;]*m/g;

export function openPty({ argv, cwd, env, columns, rows }: PtyWish): Pty {
  const [file = '', ...args] = argv;
  const child = pty.spawn(file, args, { cwd, env: { ...env, TERM: 'xterm-256color' }, cols: columns, rows });
  const watching = new Set<(data: string) => void>();
  let bytes = 0;
  let tail = '';
  child.onData((data) => {
    bytes += Buffer.byteLength(data);
    tail = (tail + data).slice(-mostSeen);
    for (const watch of [...watching]) watch(data);
  });
  const ended = new Promise<void>((resolve) => {
    child.onExit(() => resolve());
  });
  return {
    pid: child.pid,
    bytes: () => bytes,
    tail: () => tail.replace(colours, ''),
    type: (text) => child.write(text),
    shows(text) {
      const from = performance.now();
      return new Promise((resolve, reject) => {
        let seen = '';
        const timer = setTimeout(() => {
          watching.delete(watch);
          reject(
            new Error(
              `${JSON.stringify(text)} was never shown; the end of what was: ${JSON.stringify(seen.slice(-2_000))}`,
            ),
          );
        }, patienceMs);
        function watch(data: string): void {
          seen = (seen + data).slice(-mostSeen);
          if (!seen.replace(colours, '').includes(text)) return;
          clearTimeout(timer);
          watching.delete(watch);
          resolve(performance.now() - from);
        }
        watching.add(watch);
      });
    },
    async end() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** CPU time of a process so far, in milliseconds (proc(5): utime and stime in ticks of 10 ms). */
export function cpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return 10 * (Number(fields[11]) + Number(fields[12]));
}

/** Resident memory, in 10^6 bytes. */
export function rssMb(pid: number): number {
  const [, kib] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return (Number(kib) * 1024) / 1e6;
}
