/** What the system says of a process: memory, open files, children, processor time, wake-ups. Linux alone keeps all of it in files. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

export interface ProcessFigures {
  /** In 10^6 bytes. */
  readonly rssMb: number;
  readonly fds: number;
  readonly children: number;
  readonly cpuMs: number;
  /** How often a thread of it that waited went on. */
  readonly wakes: number;
}

export function figuresOf(pid: number): ProcessFigures {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const kilobytes = Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0);
  return {
    rssMb: (kilobytes * 1024) / 1e6,
    fds: readdirSync(`/proc/${pid}/fd`).length,
    children: childrenOf(pid),
    cpuMs: cpuMs(pid),
    wakes: wakes(pid),
  };
}

function wakes(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const counts = threads.map((thread) => {
    const status = readFileSync(`/proc/${pid}/task/${thread}/status`, 'utf8');
    return Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(status)?.[1] ?? 0);
  });
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Of all threads that live, by the scheduler's own account: the usual one counts in hundredths of a second. */
function cpuMs(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const spent = threads.map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
  );
  return spent.reduce((sum, nanoseconds) => sum + nanoseconds, 0) / 1e6;
}

function childrenOf(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const lists = threads.map((thread) => readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').trim());
  return lists.filter((list) => list !== '').flatMap((list) => list.split(' ')).length;
}

/** The largest write-ahead log of the repositories below a state home, in 10^6 bytes. */
export function walMb(stateHome: string): number {
  const zerd = join(stateHome, 'zerd');
  const logs = readdirSync(zerd).map((name) => statSync(join(zerd, name, 'zerd.db-wal'), { throwIfNoEntry: false }));
  return Math.max(0, ...logs.map((log) => log?.size ?? 0)) / 1e6;
}

/** By least squares; 0 for less than two samples. */
export function slopeMbPerH(samples: readonly { readonly atMs: number; readonly rssMb: number }[]): number {
  const n = samples.length;
  const meanAt = samples.reduce((sum, { atMs }) => sum + atMs, 0) / n;
  const meanMb = samples.reduce((sum, { rssMb }) => sum + rssMb, 0) / n;
  const over = samples.reduce((sum, { atMs, rssMb }) => sum + (atMs - meanAt) * (rssMb - meanMb), 0);
  const under = samples.reduce((sum, { atMs }) => sum + (atMs - meanAt) ** 2, 0);
  return under === 0 ? 0 : (over / under) * 3_600_000;
}
