/**
 * Decides with an older daemon whether this release takes its place. Invariant (F-30): a daemon that works is never asked to
 * end for one that cannot start: the newer one is tried first, and where its start failed lately, the older one stays.
 */
import { existsSync, realpathSync } from 'node:fs';
import type { ZerdError } from '../common/errors.ts';
import { isNewerVersion } from '../common/version.ts';
import type { ZerdClient } from './client.ts';
import type { Clock } from './clock.ts';
import { failedLately } from './failed-starts.ts';
import { readRegistration } from './registration.ts';
import type { StartWish } from './start-daemon.ts';

export interface Successor extends StartWish {
  readonly version: string;
  readonly clock: Clock;
  /** The registration of the older daemon. */
  readonly file: string;
  /** Where failed starts are kept. */
  readonly failures: string;
  readonly onOlder: (why: string) => void;
}

/**
 * True: the older one ends, and this release is to be started. An older daemon that nobody else needs makes room; a busy
 * one is spoken to as it is.
 */
export async function takesOver(successor: Successor, older: ZerdClient): Promise<boolean> {
  const { version, onOlder } = successor;
  const theirs = older.hello.daemon.version;
  if (!isNewerVersion(version, theirs)) return false;
  const failure = await whyNot(successor);
  if (failure !== undefined) {
    onOlder(`zerd ${theirs} goes on serving this repository, as zerd ${version} cannot: ${failure.message}`);
    return false;
  }
  const answer = await older.request('daemon/handover', { version }).catch(() => undefined);
  if (answer?.stopping === true) return true;
  onOlder(
    answer?.why ??
      `zerd ${theirs} serves this repository and does not know how to make room; end it with \`zerdd stop\``,
  );
  return false;
}

/** Undefined: it can start, as far as that can be known before it does. */
export async function whyNot(successor: Successor): Promise<ZerdError | undefined> {
  const { failures, clock } = successor;
  const lately = failedLately(failures, clock.wall());
  if (lately !== undefined) return lately;
  const { tryDaemon } = await import('./start-daemon.ts');
  return await tryDaemon(successor, clock);
}

/** What served before, and can serve again. */
export interface Predecessor {
  readonly version: string;
  readonly program: string;
}

/** Undefined: its program is not known, or is gone or ours: it was replaced on the disk. */
export function predecessor({ file, zerddPath }: Successor, older: ZerdClient): Predecessor | undefined {
  const { program } = readRegistration(file) ?? {};
  if (typeof program !== 'string' || !existsSync(program) || realpathSync(program) === realpathSync(zerddPath))
    return undefined;
  return { version: older.hello.daemon.version, program };
}

/** The newer one ended as it began: the one before is started again, and that is said. */
export function goBack({ version, onOlder }: Successor, before: Predecessor, { message }: ZerdError): void {
  onOlder(`zerd ${before.version} serves this repository again, as zerd ${version} did not start: ${message}`);
}
