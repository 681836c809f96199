/** Finds daemons that run and talks to them, as any client would. */
import { readdirSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import type { ResultOf } from '@zerd/protocol/common/methods';
import { zerdVersion } from '@zerd/protocol/common/version';
import { openClient, type ZerdClient } from '@zerd/protocol/node/client';
import type { Clock } from '@zerd/protocol/node/clock';
import { type Env, registrationPath, runtimeParents, socketPath } from '@zerd/protocol/node/paths';
import { probe } from '@zerd/protocol/node/probe';
import { readRegistration } from '@zerd/protocol/node/registration';

export type DaemonStatus = ResultOf<'daemon/status'>;

/** One that listens and cannot be asked. */
export interface SilentDaemon {
  readonly root: string;
  readonly pid: number;
  readonly silent: true;
}

const answerMs = 3_000;

/** Undefined: no daemon listens there. Rejects with ZerdError when one does and does not answer. */
export async function connectTo(runtime: string, clock: Clock): Promise<ZerdClient | undefined> {
  const socket = await probe(socketPath(runtime));
  if (typeof socket === 'string') return undefined;
  return greet(socket, clock);
}

function greet(socket: Socket, clock: Clock): Promise<ZerdClient> {
  const client = { name: 'zerdd', version: zerdVersion };
  return openClient({ readable: socket, writable: socket }, { client, env: {}, clock, deadlineMs: answerMs });
}

/** Every daemon of this user that can be reached with this environment, by root. */
export async function listDaemons(env: Env, clock: Clock): Promise<readonly (DaemonStatus | SilentDaemon)[]> {
  const folders = runtimeParents(env).flatMap((parent) => foldersIn(parent));
  const found = await Promise.all(folders.map((folder) => statusOf(folder, clock)));
  return found.filter((status) => status !== undefined).sort((a, b) => (a.root < b.root ? -1 : 1));
}

async function statusOf(runtime: string, clock: Clock): Promise<DaemonStatus | SilentDaemon | undefined> {
  const socket = await probe(socketPath(runtime)).catch(() => undefined);
  if (typeof socket !== 'object') return socket === 'busy' ? silent(runtime) : undefined;
  const client = await greet(socket, clock).catch(() => undefined);
  if (!client) return silent(runtime);
  try {
    return await client.request('daemon/status', {});
  } catch {
    // It stopped meanwhile, so it does not belong to the list.
    return undefined;
  } finally {
    client.close();
  }
}

function silent(runtime: string): SilentDaemon | undefined {
  const owner = readRegistration(registrationPath(runtime));
  return owner && { root: owner.root, pid: owner.pid, silent: true };
}

function foldersIn(parent: string): string[] {
  try {
    return readdirSync(parent).map((name) => join(parent, name));
  } catch {
    // Most of the possible places do not exist.
    return [];
  }
}
