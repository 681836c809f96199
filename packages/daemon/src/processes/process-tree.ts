/**
 * Ends everything that a command started: its process group, its session, the descendants of these, and whatever carries
 * the command's mark in its environment, wherever it went. Invariant: it looks again until nothing is left or 5 s are
 * over. Where there is no /proc, only the group is reached.
 */
import { readdir, readFile } from 'node:fs/promises';
import type { Clock } from '@zerd/protocol/node/clock';

export interface ProcessTree {
  /** The command's own process, leader of its group and session. */
  readonly pid: number;
  /** `NAME=value` in the environment of everything it starts. */
  readonly mark: string;
}

/** How long SIGTERM may take before SIGKILL. */
const politeMs = 1_000;
const limitMs = 5_000;
const lookAgainMs = 50;

/** True: nothing is left. Never rejects. */
export async function endTree(tree: ProcessTree, clock: Clock): Promise<boolean> {
  const begun = clock.now();
  const known = new Map<number, string>();
  await signalAll(tree, known, 'SIGTERM');
  while (clock.now() - begun < limitMs) {
    await clock.sleep(lookAgainMs);
    const signal = clock.now() - begun < politeMs ? 0 : 'SIGKILL';
    if ((await signalAll(tree, known, signal)) === 0) return true;
  }
  return false;
}

/** The processes of the tree that are alive. `known`: those seen before, by pid, with their start times. */
export async function membersOf(tree: ProcessTree, known = new Map<number, string>()): Promise<number[]> {
  const processes = await listProcesses();
  const members = new Set<number>();
  for (const one of processes) if (await belongs(one, tree, known)) members.add(one.pid);
  addDescendants(members, processes);
  const alive = processes.filter((one) => members.has(one.pid));
  for (const one of alive) known.set(one.pid, one.startedAt);
  return alive.map((one) => one.pid);
}

async function signalAll(tree: ProcessTree, known: Map<number, string>, signal: NodeJS.Signals | 0): Promise<number> {
  const before = await membersOf(tree, known);
  const group = send(-tree.pid, signal);
  for (const pid of before) send(pid, signal);
  return process.platform === 'linux' ? before.length : Number(group);
}

/** False: there is no such process any more. */
function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  readonly startedAt: string;
}

async function belongs(one: Process, tree: ProcessTree, known: Map<number, string>): Promise<boolean> {
  if (one.pid === process.pid) return false;
  if (one.group === tree.pid || one.session === tree.pid) return true;
  return known.get(one.pid) === one.startedAt || (await carries(one.pid, tree.mark));
}

async function carries(pid: number, mark: string): Promise<boolean> {
  const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
  return environment.split('\0').includes(mark);
}

function addDescendants(members: Set<number>, processes: readonly Process[]): void {
  for (let grown = true; grown; ) {
    const fresh = processes.filter((one) => members.has(one.parent) && !members.has(one.pid));
    for (const one of fresh) members.add(one.pid);
    grown = fresh.length > 0;
  }
}

async function listProcesses(): Promise<Process[]> {
  const names = await readdir('/proc').catch((): string[] => []);
  const found = await Promise.all(names.filter((name) => /^\d+$/.test(name)).map((name) => readProcess(Number(name))));
  return found.filter((one) => one !== undefined);
}

/** Undefined: gone, or dead and only waiting to be reaped. */
async function readProcess(pid: number): Promise<Process | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '');
  // The name in parentheses may hold anything, also parentheses.
  const [state, parent, group, session, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (stat === '' || state === 'Z' || state === 'X') return undefined;
  return { pid, parent: Number(parent), group: Number(group), session: Number(session), startedAt: rest[15] ?? '' };
}
