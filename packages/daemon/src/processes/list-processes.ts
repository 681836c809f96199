/**
 * Does: lists the processes of this machine as far as telling whose they are needs it. Linux reads /proc; elsewhere `ps`
 * is asked, which on macOS shows the environment of one's own processes too.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { uptime } from 'node:os';
import { heldAt } from './held-file.ts';

export interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** Only compared: ticks since the boot on Linux, else seconds of the epoch. */
  readonly startedAt: number;
  /** Whether `NAME=value` is in its environment. */
  carries(mark: string): boolean;
  /** Whether it has the file open at `heldAt`; the link is as /proc shows it. */
  holds(link: string): boolean;
}

/** Those that live; one that is dead and only waits to be reaped does not. Never throws. */
export function listProcesses(): readonly Process[] {
  return process.platform === 'linux' ? linuxProcesses() : psProcesses();
}

/** Undefined: there is no such living process. */
export function findProcess(pid: number): Process | undefined {
  if (process.platform === 'linux') return linuxProcess(pid);
  return psProcesses().find((one) => one.pid === pid);
}

/** How long it has been running, in milliseconds that a change of the time of day does not touch on Linux. */
export function ageOf({ startedAt }: Process): number {
  return process.platform === 'linux' ? uptime() * 1_000 - startedAt * 10 : Date.now() - startedAt * 1_000;
}

let knownBootId: string | undefined;

/** Names this boot of the machine; process ids and start times mean nothing in another one. */
export function bootId(): string {
  knownBootId ??= readBootId();
  return knownBootId;
}

function readBootId(): string {
  if (process.platform === 'linux') return read('/proc/sys/kernel/random/boot_id').trim();
  return ask('/usr/sbin/sysctl', ['-n', 'kern.bootsessionuuid']).trim();
}

function linuxProcesses(): readonly Process[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map((name) => linuxProcess(Number(name))).filter((one) => one !== undefined);
}

function linuxProcess(pid: number): Process | undefined {
  const stat = read(`/proc/${pid}/stat`);
  // The name in parentheses may hold anything, also parentheses.
  const [state, parent, group, session, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (stat === '' || state === 'Z' || state === 'X') return undefined;
  return {
    pid,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    startedAt: Number(rest[15]),
    carries: (mark) => read(`/proc/${pid}/environ`).split('\0').includes(mark),
    holds: (link) => linkOf(`/proc/${pid}/fd/${heldAt}`) === link,
  };
}

/** pid ppid pgid stat, five words of the start time, then command and environment. */
const psLine = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S+\s+\S+\s+\d+\s+[\d:]+\s+\d+)\s(.*)$/;

function psProcesses(): readonly Process[] {
  const columns = 'pid=,ppid=,pgid=,stat=,lstart=,command=';
  const lines = ask('/bin/ps', ['-axww', '-E', '-o', columns]).split('\n');
  return lines.map(psProcess).filter((one) => one !== undefined);
}

function psProcess(line: string): Process | undefined {
  const [, pid, parent, group, state = '', started = '', rest = ''] = psLine.exec(line) ?? [];
  if (pid === undefined || state.startsWith('Z')) return undefined;
  return {
    pid: Number(pid),
    parent: Number(parent),
    group: Number(group),
    session: 0,
    startedAt: Math.floor(Date.parse(started) / 1000),
    carries: (mark) => ` ${rest} `.includes(` ${mark} `),
    holds: () => false,
  };
}

function ask(program: string, args: readonly string[]): string {
  try {
    const env = { PATH: '/usr/bin:/bin', LC_ALL: 'C' };
    return execFileSync(program, args, { env, encoding: 'utf8', timeout: 5_000, maxBuffer: 64 * 1024 * 1024 });
  } catch {
    return '';
  }
}

/** Undefined: it is not open, or not ours to see. */
function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

/** Empty: it is gone, or it is not ours to read. */
function read(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}
