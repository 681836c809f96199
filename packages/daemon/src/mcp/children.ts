/**
 * Starts the programs of servers and sees to it that nothing of them is left: not of one that is let go, and not of those
 * that a killed daemon left. Invariants (F-22): a process is a server's by its id and start time, its group, its descent or
 * its mark, never by its name; what is to be ended is written down before it begins, and tried until it is gone.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { bootId, findProcess } from '../processes/list-processes.ts';
import { endTree, type Known, killTree, membersOf } from '../processes/process-tree.ts';
import { settlesWithin } from '../processes/settles-within.ts';
import { readJson, writeJson } from './private-json.ts';
import type { McpParts } from './room.ts';

export interface ServerChild {
  readonly process: ChildProcess;
  /** Ends it and all that it started; joins the end that has begun. Never rejects. */
  end(): Promise<void>;
}

export interface Children {
  /** Throws what the system says when it cannot be started. */
  start(wish: StartWish): Promise<ServerChild>;
  /** Names of servers of which something is left that could not be ended yet. */
  left(): readonly { readonly name: string; readonly pids: readonly number[] }[];
  /** Goes on with what an earlier daemon left. */
  adopt(): void;
  /** Ends what runs. What then is still there is the next daemon's. */
  close(): Promise<void>;
}

export interface StartWish {
  readonly name: string;
  /** The file that is started, and by what word. */
  readonly program: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** As commands carry one: it opens nothing and names nobody. */
const markName = 'SHELL_MARK';
/** What a server that is told by the end of its input may take. */
const politeMs = 1_000;
const againMs = { first: 1_000, most: 60_000 };

const recordSchema = z.object({
  name: z.string(),
  mark: z.string(),
  pid: z.int().positive().optional(),
  startedAt: z.number().optional(),
  bootId: z.string(),
});

type ChildRecord = z.infer<typeof recordSchema>;

interface Left {
  readonly record: ChildRecord;
  readonly pids: readonly number[];
}

export function createChildren(parts: Pick<McpParts, 'stateFolder' | 'clock' | 'idleClock' | 'log'>): Children {
  const { clock, idleClock, log } = parts;
  const file = join(parts.stateFolder, 'mcp-running.json');
  const records = new Map<string, ChildRecord>();
  const left = new Map<string, Left>();
  const running = new Set<ServerChild>();
  let closed = false;

  function write(): void {
    try {
      if (records.size === 0) rmSync(file, { force: true });
      else writeJson(file, [...records.values()]);
    } catch (error) {
      log.warn('the running servers of outside tools could not be written down', { error });
    }
  }

  function note(record: ChildRecord): void {
    records.set(record.mark, record);
    write();
  }

  function forget({ mark }: ChildRecord): void {
    left.delete(mark);
    records.delete(mark);
    write();
  }

  /** What survived its end waits in the kernel, or is another user's: it is tried again, ever more rarely. */
  function goOn(record: ChildRecord, known: Known, ms: number): void {
    if (closed) return;
    const pids = killTree(treeOf(record), known);
    if (pids.length === 0) forget(record);
    else {
      left.set(record.mark, { record, pids });
      idleClock.setTimer(ms, () => goOn(record, known, Math.min(againMs.most, 2 * ms)));
    }
  }

  async function end(child: ChildProcess, record: ChildRecord): Promise<void> {
    const known: Known = new Map();
    const exited = child.exitCode === null && child.signalCode === null ? exitOf(child) : Promise.resolve();
    child.stdin?.end();
    // Those that it started are known from here on, also when they leave its group while it ends.
    membersOf(treeOf(record), known);
    await settlesWithin(exited, politeMs, clock);
    await endRest(record, known);
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
  }

  async function endRest(record: ChildRecord, known: Known): Promise<void> {
    if (await endTree(treeOf(record), clock, known)) return forget(record);
    log.warn('what a server of outside tools started could not be ended; it is tried again', { server: record.name });
    goOn(record, known, againMs.first);
  }

  return {
    async start({ name, program, command, args, env, cwd }) {
      const mark = randomBytes(16).toString('hex');
      const intent: ChildRecord = { name, mark, bootId: bootId() };
      note(intent);
      const options = { cwd, env: { ...env, [markName]: mark }, detached: true, argv0: command };
      try {
        const child = spawn(program, [...args], options);
        await spawned(child);
        const pid = child.pid ?? 0;
        const startedAt = findProcess(pid)?.startedAt;
        const record = { ...intent, pid, ...(startedAt === undefined ? {} : { startedAt }) };
        note(record);
        let ending: Promise<void> | undefined;
        const started: ServerChild = {
          process: child,
          end() {
            ending ??= end(child, record).finally(() => running.delete(started));
            return ending;
          },
        };
        running.add(started);
        return started;
      } catch (error) {
        forget(intent);
        throw error;
      }
    },
    left: () => [...left.values()].map(({ record: { name }, pids }) => ({ name, pids })),
    adopt() {
      const found = z.array(recordSchema).safeParse(readJson(file)).data ?? [];
      const ours = found.filter((record) => record.bootId === bootId());
      for (const record of ours) records.set(record.mark, record);
      if (found.length > 0) write();
      for (const record of ours) void endRest(record, new Map());
    },
    async close() {
      closed = true;
      await Promise.all([...running].map((one) => one.end()));
    },
  };
}

function treeOf({ mark, pid, startedAt }: ChildRecord) {
  return { mark: `${markName}=${mark}`, pid, startedAt };
}

function spawned(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
}

function exitOf(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => child.once('exit', () => resolve()));
}
