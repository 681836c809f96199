/**
 * Ends everything that a command started: its process group, its session, the descendants of these, and whatever carries
 * the command's mark in its environment or holds the file that only it was given, wherever it went. Invariants: it looks again until nothing is left or 5 s are
 * over; nothing is signalled that is not known as the command's, also when its process id belongs to somebody else by now.
 */
import type { Clock } from '@zerd/protocol/node/clock';
import { listProcesses, type Process } from './list-processes.ts';

export interface ProcessTree {
  /** The command's own process, leader of its group and session; undefined: only the mark is known. */
  readonly pid?: number | undefined;
  /** When that started, as `Process` has it. */
  readonly startedAt?: number | undefined;
  /** `NAME=value` in the environment of everything it starts. */
  readonly mark: string;
  /** What everything that it starts has open: see `held-file`; absent: nothing. */
  readonly held?: string | undefined;
}

/** How long SIGTERM may take before SIGKILL. */
const politeMs = 1_000;
const limitMs = 5_000;
const lookAgainMs = 50;

/** Those seen before, by pid, with their start times. */
export type Known = Map<number, number>;

/** True: nothing is left. Never rejects. */
export async function endTree(tree: ProcessTree, clock: Clock, known: Known = new Map()): Promise<boolean> {
  const begun = clock.now();
  signalAll(tree, known, 'SIGTERM');
  while (clock.now() - begun < limitMs) {
    await clock.sleep(lookAgainMs);
    const signal = clock.now() - begun < politeMs ? undefined : 'SIGKILL';
    if (signalAll(tree, known, signal).length === 0) return true;
  }
  return false;
}

/** Once, and without waiting: the ids of those that were still there. */
export function killTree(tree: ProcessTree, known: Known): readonly number[] {
  return signalAll(tree, known, 'SIGKILL');
}

/** The processes of the tree that are alive. */
export function membersOf(tree: ProcessTree, known: Known = new Map()): readonly Process[] {
  const processes = listProcesses();
  const ownGroup = !wasReused(tree, processes);
  const members = new Map<number, Process>();
  for (const one of processes) if (belongs(one, tree, ownGroup, known)) members.set(one.pid, one);
  addDescendants(members, processes);
  for (const { pid, startedAt } of members.values()) known.set(pid, startedAt);
  return [...members.values()];
}

function signalAll(tree: ProcessTree, known: Known, signal: NodeJS.Signals | undefined): readonly number[] {
  const members = membersOf(tree, known);
  const pids = members.map(({ pid }) => pid);
  if (signal === undefined) return pids;
  // All at once first: what forks faster than we look stays in the group.
  if (tree.pid !== undefined && members.some(({ group }) => group === tree.pid)) send(-tree.pid, signal);
  for (const pid of pids) send(pid, signal);
  return pids;
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It is gone, which is what was wanted.
    return;
  }
}

/** Another process has the command's id now: its group is a stranger's. */
function wasReused({ pid, startedAt }: ProcessTree, processes: readonly Process[]): boolean {
  if (pid === undefined) return true;
  const leader = processes.find((one) => one.pid === pid);
  return leader !== undefined && startedAt !== undefined && leader.startedAt !== startedAt;
}

function belongs(one: Process, tree: ProcessTree, ownGroup: boolean, known: Known): boolean {
  if (one.pid === process.pid) return false;
  if (ownGroup && (one.group === tree.pid || one.session === tree.pid)) return true;
  if (known.get(one.pid) === one.startedAt) return true;
  // What is older was not started by it, and reading every environment would take long.
  if (one.startedAt < (tree.startedAt ?? 0)) return false;
  return one.carries(tree.mark) || (tree.held !== undefined && one.holds(tree.held));
}

function addDescendants(members: Map<number, Process>, processes: readonly Process[]): void {
  for (let grown = true; grown; ) {
    const fresh = processes.filter((one) => members.has(one.parent) && !members.has(one.pid));
    for (const one of fresh) members.set(one.pid, one);
    grown = fresh.length > 0;
  }
}
