/** Runs one daemon as this process: its signals, its defects and its exit code. Nothing is written to stdout. */
import type { Clock } from '@zerd/protocol/node/clock';
import type { Env } from '@zerd/protocol/node/paths';
import { anotherOwnerExit } from '@zerd/protocol/node/start-daemon';
import { compose } from '../compose.ts';
import { beatEveryMs, idleExitMs } from '../life/heartbeat.ts';
import { createRest } from '../life/rest.ts';
import { type AnotherOwner, type Daemon, serve } from '../serve.ts';
import { awakeClock } from '../watchdog/awake-clock.ts';
import type { WebAddress } from '../web/address.ts';

export interface ProcessWish {
  readonly root: string;
  readonly env: Env;
  readonly clock: Clock;
  readonly stdio: boolean;
  /** 0: it never ends for idleness. */
  readonly idleMs?: number;
  readonly web?: WebAddress;
}

/** Settles with the exit code when the daemon has ended. */
export async function serveProcess({
  root,
  env,
  clock: beats,
  stdio,
  idleMs = idleExitMs,
  web,
}: ProcessWish): Promise<number> {
  const signals = holdSignals();
  const clock = awakeClock(beats);
  const ends = idleMs === 0 ? undefined : idleMs;
  const rest = createRest();
  const daemon = await serve({
    root,
    env,
    clock,
    beats,
    rest(working) {
      rest(working);
      clock.beat(beatEveryMs(ends));
    },
    compose,
    idleMs: ends,
    overdue: () => process.exit(1),
    ...(web ? { web } : {}),
    ...(stdio ? { only: { readable: process.stdin, writable: process.stdout } } : {}),
  });
  if (daemon.kind === 'another-owner') return sayOwned(root, daemon);
  if (process.stderr.isTTY) say(`serving ${root} (pid ${process.pid}), log in ${daemon.house.logFile}`);
  const beating = beatForSupervisor(beats);
  clock.onPause(({ kind, ms }) => daemon.house.log.warn(pauseWords[kind], { ms: Math.round(ms) }));
  signals.passTo((signal) => void daemon.stop(signal));
  const failed = watchDefects(daemon);
  await daemon.stopped;
  beating[Symbol.dispose]();
  clock[Symbol.dispose]();
  return failed() ? 1 : 0;
}

const pauseWords = {
  blocked: 'the event loop was held up; no deadline counts that time',
  stopped: 'the process stood still; no deadline counts that time',
  slept: 'the time of day went ahead: the machine slept, or its clock was set; no deadline has moved',
  setBack: 'the time of day was set back; no deadline has moved',
} as const;

/** That there is a message is the message: see `login/supervise`. */
const aliveMessage = 'alive';
const beatMs = 10_000;

/** Whoever started it at login hears that the event loop turns. */
function beatForSupervisor(clock: Clock): Disposable {
  if (process.send === undefined) return { [Symbol.dispose]() {} };
  // The supervisor may go: that ends nothing.
  process.on('disconnect', () => {});
  let timer = clock.setTimer(beatMs, beat);
  function beat(): void {
    timer = clock.setTimer(beatMs, beat);
    if (process.connected) process.send?.(aliveMessage, () => {});
  }
  return { [Symbol.dispose]: () => timer[Symbol.dispose]() };
}

/** A signal that comes while the daemon is opening ends it as soon as it is open: never halfway. */
function holdSignals(): { passTo(stop: (signal: string) => void): void } {
  let came: string | undefined;
  let stop = (signal: string): void => {
    came ??= signal;
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => stop(signal));
  return {
    passTo(next) {
      stop = next;
      if (came) next(came);
    },
  };
}

/** Returns whether a defect ended it. */
function watchDefects({ stop, house }: Daemon): () => boolean {
  let failed = false;
  process.on('unhandledRejection', (error) => house.log.error('a promise was left to fail', { error }));
  process.on('uncaughtException', (error) => {
    failed = true;
    house.log.error('a defect outside of any request or turn', { error });
    say(`internal_error: ${error.stack ?? error.message}`);
    void stop('a defect');
  });
  return () => failed;
}

function sayOwned(root: string, { pid }: AnotherOwner): number {
  const who = pid === undefined ? 'another process' : `another process (pid ${pid})`;
  say(`daemon_unavailable: ${who} owns ${root}; nothing was started.`);
  return anotherOwnerExit;
}

function say(line: string): void {
  process.stderr.write(`zerdd: ${line}\n`);
}
