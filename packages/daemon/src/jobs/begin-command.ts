/** Begins a command: its folder first, so that it is found again whatever happens next (I9), then its process. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { CommandWish } from '../base/job-ports.ts';
import { commandEnv } from '../processes/command-env.ts';
import { codeOf } from '../processes/error-code.ts';
import { recordNames } from '../processes/host/orders.ts';
import type { JobRecord } from './folder.ts';
import type { Hosts } from './hosts.ts';
import type { JobsRoom } from './room.ts';
import { markName, type Tracked, track } from './tracked.ts';

/** The variable with the path of a pipe from which a command may read what is written to it as a job. */
export const inputName = 'JOB_INPUT';

/** One argument of a program cannot be longer on Linux. */
const mostCommandBytes = 128 * 1024 - 1;

export async function beginCommand(
  room: JobsRoom,
  hosts: Hosts,
  wish: CommandWish,
): Promise<{ readonly ok: true; readonly tracked: Tracked } | { readonly ok: false; readonly code: string }> {
  if (Buffer.byteLength(wish.command) > mostCommandBytes) return { ok: false, code: 'E2BIG' };
  const record = recordOf(room, wish);
  const folder = await makeFolder(room, record);
  if (!folder.ok) return folder;
  const tracked = track(record, folder.path);
  room.tracked.set(record.jobId, tracked);
  const input = wish.command.includes(inputName);
  const marks = {
    [markName]: record.mark,
    ...(input ? { [inputName]: join(folder.path, recordNames.input) } : {}),
  };
  const { jobId, command } = record;
  const env = { ...commandEnv(wish.env), ...marks };
  const code = await hosts
    .start(tracked, { kind: 'start', jobId, folder: folder.path, command, cwd: wish.cwd, env, input })
    .catch(codeOf);
  if (code === undefined) return { ok: true, tracked };
  room.tracked.delete(jobId);
  tracked.waitsForRoom?.[Symbol.dispose]();
  room.folders.remove(folder.path);
  return { ok: false, code };
}

function recordOf(room: JobsRoom, { cwd: _cwd, env: _env, timeoutMs, ...call }: CommandWish): JobRecord {
  const limit = timeoutMs === undefined ? {} : { timeoutMs };
  const mark = randomBytes(16).toString('hex');
  return { ...call, ...limit, jobId: room.newJobId(), mark, startedAt: Math.round(room.clock.wall()) };
}

async function makeFolder(
  room: JobsRoom,
  record: JobRecord,
): Promise<{ readonly ok: true; readonly path: string } | { readonly ok: false; readonly code: string }> {
  try {
    return { ok: true, path: room.folders.make(record) };
  } catch (error) {
    return { ok: false, code: codeOf(error) };
  }
}
