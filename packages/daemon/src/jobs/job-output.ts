/** Gives the output of a job: what is new to the model, or any bytes of it, while it runs and after its end. */
import { open } from 'node:fs/promises';
import type { Jobs } from '../base/job-ports.ts';
import type { Archive } from '../base/ports.ts';
import { countOutput, readOn, textFrom } from '../processes/read-output.ts';
import { settlesWithin } from '../processes/settles-within.ts';
import { clearNews, readNews, writeShown } from './folder.ts';
import type { JobsRoom } from './room.ts';
import type { Tracked } from './tracked.ts';

/** From now on it counts as shown. */
export async function newsOf(tracked: Tracked): Promise<string> {
  const { folder } = tracked;
  const kept = readNews(folder);
  if (kept !== undefined) {
    if (kept !== '') clearNews(folder);
    return kept;
  }
  if (tracked.phase === 'over') return '';
  const { text, total } = await textFrom(folder, tracked.shown);
  tracked.shown = total;
  writeShown(folder, total);
  return text;
}

export async function readJob(
  room: JobsRoom,
  tracked: Tracked,
  offset: number,
  limit: number,
): Promise<Awaited<ReturnType<Jobs['read']>>> {
  const stored = await storedOf(room, tracked);
  if (stored === undefined) {
    const { bytes: totalBytes } = await countOutput(tracked.folder);
    if (totalBytes < tracked.bytes && (await isMoved(room, tracked))) return readJob(room, tracked, offset, limit);
    const { bytes, start } = await readOn(tracked.folder, offset, limit);
    return { bytes, offset: start, totalBytes };
  }
  const handle = await open(stored.file, 'r');
  try {
    const buffer = Buffer.alloc(Math.max(0, Math.min(limit, stored.bytes - offset)));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, offset);
    return { bytes: buffer.subarray(0, bytesRead), offset, totalBytes: stored.bytes };
  } finally {
    await handle.close();
  }
}

async function storedOf({ archive }: JobsRoom, { archiveId }: Tracked): ReturnType<Archive['locate']> {
  return archiveId === undefined ? undefined : await archive.locate(archiveId);
}

/** How long the move of an output into the archive is waited for. */
const moveMs = 5_000;

/** Less is there than was written: it is on its way into the archive. True: there it is. */
async function isMoved(room: JobsRoom, tracked: Tracked): Promise<boolean> {
  if (tracked.finishing) await settlesWithin(tracked.logged.promise, moveMs, room.clock);
  return (await storedOf(room, tracked)) !== undefined;
}
