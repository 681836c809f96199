/**
 * Does: keeps the daemons of the registered repositories running: starts each, starts one again that failed, and ends one
 * whose event loop has stood still. Invariants: a daemon outlives its supervisor's death; one that ended as it should,
 * or that another process serves, is not fought; a machine that slept is not taken for a daemon that hangs.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Clock } from '@zerd/protocol/node/clock';
import type { Env } from '@zerd/protocol/node/paths';
import { anotherOwnerExit, cleanEnv } from '@zerd/protocol/node/start-daemon';
import { afterExit, noFailures, type RestartDecision, type RestartState } from './restarts.ts';

export interface SuperviseParts {
  readonly env: Env;
  readonly clock: Clock;
  /** The file that runs zerdd. */
  readonly zerdd: string;
  readonly roots: () => readonly string[];
  readonly say: (line: string) => void;
}

export interface Supervisor {
  /** Reads the list again. */
  reload(): void;
  /** Ends the daemons that it started; settles when they are gone. */
  stop(): Promise<void>;
}

interface Ward {
  readonly root: string;
  child: ChildProcess | undefined;
  /** Looks in a row at which it had not been heard of. */
  silent: number;
  state: RestartState;
  again: Disposable | undefined;
  readonly ended: () => void;
  readonly gone: Promise<void>;
}

const lookMs = 15_000;
/** Two minutes: more than any pause that work on the machine makes. */
const mostSilent = 8;
/** How often a repository that another process serves is looked at again. */
const againMs = 60_000;

export function supervise({ env, clock, zerdd, roots, say }: SuperviseParts): Supervisor {
  const wards = new Map<string, Ward>();
  let stopping = false;
  let timer = clock.setTimer(lookMs, look);
  reload();

  function reload(): void {
    const wanted = new Set(roots());
    for (const root of wanted) if (!wards.has(root)) begin(root);
    for (const ward of wards.values()) if (!wanted.has(ward.root)) end(ward);
  }

  function begin(root: string): void {
    let ended = () => {};
    const gone = new Promise<void>((resolve) => {
      ended = resolve;
    });
    const ward: Ward = { root, child: undefined, silent: 0, state: noFailures, again: undefined, ended, gone };
    wards.set(root, ward);
    start(ward);
  }

  function start(ward: Ward): void {
    ward.again = undefined;
    ward.silent = 0;
    // Detached, so that what ends the supervisor does not end it.
    const child = spawn(process.execPath, [zerdd, '--root', ward.root, '--idle', '0'], {
      cwd: '/',
      env: cleanEnv(env),
      detached: true,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    ward.child = child;
    // Whatever it sends says that its event loop turns.
    child.on('message', () => {
      ward.silent = 0;
    });
    let over = false;
    const onEnd = (code: number | null) => {
      if (!over) exited(ward, code);
      over = true;
    };
    child.on('exit', onEnd);
    child.on('error', () => onEnd(1));
  }

  function exited(ward: Ward, code: number | null): void {
    ward.child = undefined;
    if (stopping || wards.get(ward.root) !== ward) ward.ended();
    else if (code === anotherOwnerExit) ward.again = clock.setTimer(againMs, () => start(ward));
    else startAgain(ward, code);
  }

  function startAgain(ward: Ward, code: number | null): void {
    const next = afterExit(ward.state, { code, now: clock.now(), quiet: [0] });
    say(`${ward.root}: ${words(next, code)}`);
    if (next.kind !== 'restart') return;
    ward.state = next.state;
    ward.again = clock.setTimer(next.inMs, () => start(ward));
  }

  /** Counts looks, not seconds: after a sleep of the machine the daemon gets as long as before. */
  function look(): void {
    timer = clock.setTimer(lookMs, look);
    for (const ward of wards.values()) {
      if (ward.child === undefined) continue;
      ward.silent += 1;
      if (ward.silent <= mostSilent) continue;
      say(`${ward.root}: its daemon has not turned its event loop for ${(mostSilent * lookMs) / 1000} s; ending it`);
      ward.child.kill('SIGKILL');
    }
  }

  function end(ward: Ward): void {
    wards.delete(ward.root);
    ward.again?.[Symbol.dispose]();
    if (ward.child === undefined) ward.ended();
    else ward.child.kill('SIGTERM');
  }

  return {
    reload,
    async stop() {
      stopping = true;
      timer[Symbol.dispose]();
      const all = [...wards.values()];
      for (const ward of all) end(ward);
      await Promise.all(all.map(({ gone }) => gone));
    },
  };
}

function words(next: RestartDecision, code: number | null): string {
  switch (next.kind) {
    case 'leave':
      return 'its daemon was ended; it starts again at the next login';
    case 'giveUp':
      return `its daemon failed ${next.times} times in ten minutes and is not started again; see zerdd.log in its state folder`;
    case 'restart':
      return `its daemon ended with ${code ?? 'a signal'}; starting it again in ${Math.round(next.inMs / 1000)} s`;
  }
}
