/**
 * Runs one command: starts it, keeps its output, and writes down how it ended and when nothing of it is left. Invariant:
 * each of these is in its folder before anybody is told, and nothing is written to the output after `closed` was told.
 */
import { type ChildProcess, execFile } from 'node:child_process';
import { closeSync, constants, openSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { codeOf } from '../error-code.ts';
import { openHeldFile } from '../held-file.ts';
import { bootId, findProcess } from '../list-processes.ts';
import { type OutputFile, openOutputFile } from '../output-file.ts';
import { membersOf, type ProcessTree } from '../process-tree.ts';
import { type StartedCommand, startCommand } from '../start-command.ts';
import { createHold, type HoldForRoom } from './hold-for-room.ts';
import { keepOutput } from './keep-output.ts';
import { type EndedRecord, type Order, type Report, recordNames, type StartedRecord } from './orders.ts';
import { markRoom } from './room-mark.ts';

export interface HostedCommand {
  slowDown(): void;
  /** Settles when nothing of it is left, or it could not start. Never rejects. */
  readonly gone: Promise<void>;
}

type StartOrder = Extract<Order, { kind: 'start' }>;
type Tell = (report: Report) => void;

export function hostCommand(order: StartOrder, tell: Tell): HostedCommand {
  const pace = { slow: false };
  return {
    gone: run(order, tell, pace).catch((error: unknown) =>
      tell({ kind: 'failed', jobId: order.jobId, code: codeOf(error) }),
    ),
    slowDown() {
      pace.slow = true;
    },
  };
}

async function run(order: StartOrder, tell: Tell, pace: { slow: boolean }): Promise<void> {
  const { jobId, folder } = order;
  const input = order.input ? await openInput(join(folder, recordNames.input)) : undefined;
  // Where there is no room for it, nothing is run.
  const file = openOutputFile(folder);
  const hold = createHold((full) => {
    markRoom(folder, full);
    tell({ kind: 'room', jobId, full });
  });
  try {
    const begun = performance.now();
    const { command, held } = await startMarked(order);
    const started = { ...startedRecord(command.child), ...(held && { held }) };
    await hold(() => writeRecord(folder, recordNames.started, started)).catch((error: unknown) => {
      // Nobody would find it again.
      process.kill(-started.pid, 'SIGKILL');
      throw error;
    });
    tell({ kind: 'started', jobId, started });
    await see(order, command, started, { tell, hold, file, pace, begun });
  } finally {
    file.close();
    if (input !== undefined) closeSync(input);
  }
}

/** The file is its own from then on, and that of what it starts. */
async function startMarked(order: StartOrder): Promise<{ readonly command: StartedCommand; readonly held?: string }> {
  const held = openHeldFile(order.folder);
  try {
    const pipePath = join(order.folder, 'out.pipe');
    const command = await startCommand({ ...order, pipePath, held: held?.fd });
    return { command, ...(held && { held: held.link }) };
  } finally {
    held?.close();
  }
}

interface Watch {
  readonly tell: Tell;
  readonly hold: HoldForRoom;
  readonly file: OutputFile;
  readonly pace: { readonly slow: boolean };
  readonly begun: number;
}

/** Until nothing of it is left. */
async function see(
  { jobId, folder, env }: StartOrder,
  command: StartedCommand,
  started: StartedRecord,
  { tell, hold, file, pace, begun }: Watch,
): Promise<void> {
  const output = keepOutput(command.output, file, pace, hold);
  const exit = await command.exited;
  await output.drained();
  const tree = { ...started, mark: markOf(env) };
  const ended = endedRecord({ exit, tree, closed: output.isClosed(), file, durationMs: performance.now() - begun });
  await hold(() => writeRecord(folder, recordNames.ended, ended));
  tell({ kind: 'ended', jobId, ended });
  if (ended.alive > 0) {
    await untilNothingIsLeft(tree, output.isClosed);
    await hold(() => writeRecord(folder, recordNames.gone, file.count()));
  }
  tell({ kind: 'gone', jobId });
}

/** Open at both ends, so that whoever reads from it neither waits to open it nor finds its end between two texts. */
async function openInput(path: string): Promise<number> {
  await promisify(execFile)('mkfifo', ['-m', '600', path], { env: { PATH: '/usr/bin:/bin' } });
  return openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
}

function startedRecord(child: ChildProcess): StartedRecord {
  // Never 0: as a group that would be our own.
  if (child.pid === undefined) throw new Error('the command has no process id');
  // One that has ended already is a zombie until we have heard of it: it gets the time of now.
  const own = findProcess(process.pid)?.startedAt ?? 0;
  const startedAt = findProcess(child.pid)?.startedAt ?? own;
  return { pid: child.pid, startedAt, bootId: bootId(), host: { pid: process.pid, startedAt: own } };
}

function markOf(env: Readonly<Record<string, string>>): string {
  return `SHELL_MARK=${env.SHELL_MARK}`;
}

interface Ending {
  readonly exit: Awaited<StartedCommand['exited']>;
  readonly tree: ProcessTree;
  readonly closed: boolean;
  readonly file: OutputFile;
  readonly durationMs: number;
}

function endedRecord({ exit, tree, closed, file, durationMs }: Ending): EndedRecord {
  const left = membersOf(tree).length;
  if (closed) file.close();
  // Somebody holds its output who took off its mark: there is at least that one.
  const alive = closed ? left : Math.max(1, left);
  return { ...exit, at: Date.now(), durationMs: Math.round(durationMs), alive, closed, output: file.count() };
}

const firstLookMs = 100;
const lookMs = 1_000;

async function untilNothingIsLeft(tree: ProcessTree, isClosed: () => boolean): Promise<void> {
  for (let wait = firstLookMs; !isClosed() || membersOf(tree).length > 0; wait = Math.min(lookMs, wait * 2)) {
    await pause(wait);
  }
}

function writeRecord(folder: string, name: string, record: object): void {
  const path = join(folder, name);
  writeFileSync(`${path}.new`, JSON.stringify(record), { mode: 0o600 });
  renameSync(`${path}.new`, path);
}
