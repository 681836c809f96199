/** Runs one daemon as this process: its signals, its defects and its exit code. Nothing is written to stdout. */
import type { Clock } from '@zerd/protocol/node/clock';
import type { Env } from '@zerd/protocol/node/paths';
import { anotherOwnerExit } from '@zerd/protocol/node/start-daemon';
import { compose } from '../compose.ts';
import { idleExitMs } from '../life/heartbeat.ts';
import { type Daemon, serve } from '../serve.ts';

export interface ProcessWish {
  readonly root: string;
  readonly env: Env;
  readonly clock: Clock;
  readonly stdio: boolean;
  /** 0: it never ends for idleness. */
  readonly idleMs?: number;
}

/** Settles with the exit code when the daemon has ended. */
export async function serveProcess({ root, env, clock, stdio, idleMs = idleExitMs }: ProcessWish): Promise<number> {
  const streams = { readable: process.stdin, writable: process.stdout };
  const daemon = await serve({
    root,
    env,
    clock,
    compose,
    idleMs: idleMs === 0 ? undefined : idleMs,
    overdue: () => process.exit(1),
    ...(stdio ? { only: streams } : {}),
  });
  if (daemon.kind === 'another-owner') {
    const who = daemon.pid === undefined ? 'another process' : `another process (pid ${daemon.pid})`;
    say(`daemon_unavailable: ${who} owns ${root}; nothing was started.`);
    return anotherOwnerExit;
  }
  if (process.stderr.isTTY) say(`serving ${root} (pid ${process.pid}), log in ${daemon.house.logFile}`);
  const failed = watchProcess(daemon);
  await daemon.stopped;
  return failed() ? 1 : 0;
}

/** Returns whether a defect ended it. */
function watchProcess({ stop, house }: Daemon): () => boolean {
  let failed = false;
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => void stop(signal));
  process.on('unhandledRejection', (error) => house.log.error('a promise was left to fail', { error }));
  process.on('uncaughtException', (error) => {
    failed = true;
    house.log.error('a defect outside of any request or turn', { error });
    say(`internal_error: ${error.stack ?? error.message}`);
    void stop('a defect');
  });
  return () => failed;
}

function say(line: string): void {
  process.stderr.write(`zerdd: ${line}\n`);
}
