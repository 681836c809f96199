/** Ends a repository's daemon by asking it; only with --force, and only when it does not answer, by killing it. */
import { readFileSync } from 'node:fs';
import { isZerdError } from '@zerd/protocol/common/errors';
import { sanitiseLine } from '@zerd/protocol/common/sanitise';
import type { ZerdClient } from '@zerd/protocol/node/client';
import type { Clock } from '@zerd/protocol/node/clock';
import { registrationPath } from '@zerd/protocol/node/paths';
import { readRegistration } from '@zerd/protocol/node/registration';
import { connectTo } from './daemons.ts';

export interface StopAnswer {
  readonly code: 0 | 1;
  readonly says: string;
  /** Jobs that it leaves running, a line each. */
  readonly goOn?: readonly string[];
}

const goneMs = 20_000;

export async function stopDaemon(runtime: string, force: boolean, clock: Clock): Promise<StopAnswer> {
  const client = await reach(runtime, force, clock);
  if (client === 'killed') return { code: 0, says: 'killed: it did not answer' };
  if (!client) return { code: 0, says: 'no daemon runs' };
  const { pid } = client.hello.daemon;
  const goOn = await jobsThatGoOn(client);
  const { stopping, runningTurns } = await client.request('daemon/shutdown', { force });
  client.close();
  if (!stopping) return { code: 1, says: `not stopped: turns are running (${runningTurns}); --force interrupts them` };
  const gone = await waitUntilGone(pid, clock);
  return gone ? { code: 0, says: `stopped (pid ${pid})`, goOn } : { code: 1, says: `pid ${pid} is still stopping` };
}

/** A daemon of an older release has none, or does not say. */
async function jobsThatGoOn(client: ZerdClient): Promise<readonly string[]> {
  try {
    const { jobs } = await client.request('job/list', {});
    const running = jobs.filter(({ outcome }) => outcome === undefined);
    return running.map(({ jobId, command }) => `${jobId} goes on: ${sanitiseLine(command)}`);
  } catch (error) {
    if (isZerdError(error)) return [];
    throw error;
  }
}

async function reach(runtime: string, force: boolean, clock: Clock): Promise<ZerdClient | 'killed' | undefined> {
  try {
    return await connectTo(runtime, clock);
  } catch (error) {
    const owner = readRegistration(registrationPath(runtime));
    const silent = isZerdError(error) && error.code === 'daemon_unavailable';
    if (!force || !silent || !owner || !runs(owner.pid, owner.root)) throw error;
    process.kill(owner.pid, 'SIGKILL');
    return 'killed';
  }
}

/** A process id is given to another process in time: the command line must name the repository. */
function runs(pid: number, root: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(root);
  } catch {
    return false;
  }
}

async function waitUntilGone(pid: number, clock: Clock): Promise<boolean> {
  const deadline = clock.now() + goneMs;
  while (clock.now() < deadline) {
    if (!isAlive(pid)) return true;
    await clock.sleep(20);
  }
  return false;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
