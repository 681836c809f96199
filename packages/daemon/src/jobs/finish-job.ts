/**
 * Writes the end of a job into the log: its output is archived first, and what of it the model was not shown is kept for
 * the reminder. A store that cannot take it (a full disk) is asked again until it can, in sight.
 */
import { isZerdError } from '@zerd/protocol/common/errors';
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { ArchiveId } from '@zerd/protocol/common/ids';
import { isDiskFull, waitForRoom } from '../base/full-disk.ts';
import type { CommandEnd } from '../base/job-ports.ts';
import { countOutput, takeBody, textFrom } from '../processes/read-output.ts';
import { readNews, writeNews } from './folder.ts';
import type { JobsRoom } from './room.ts';
import type { Tracked } from './tracked.ts';

const againAfterMs = 2_000;

/** Returns at once; `tracked.logged` settles when the log has it. */
export function finishJob(room: JobsRoom, tracked: Tracked, end: CommandEnd): void {
  tracked.finishing = true;
  tracked.end = end;
  const writing = untilWritten(room, tracked, end)
    .catch((error: unknown) => room.log.error('the end of a job could not be logged', { error }))
    .finally(() => room.writing.delete(writing));
  room.writing.add(writing);
}

async function untilWritten(room: JobsRoom, tracked: Tracked, end: CommandEnd): Promise<void> {
  let shown: Disposable | undefined;
  try {
    for (let tries = 1; !room.closed; tries += 1) {
      try {
        await write(room, tracked, end);
        return;
      } catch (error) {
        if (!isZerdError(error) && !isDiskFull(error) && tries > 3) throw error;
        if (tries === 1) room.log.warn('the end of a job could not be written yet', { error });
        shown ??= show(room, tracked, error);
        await pause(room);
      }
    }
  } finally {
    shown?.[Symbol.dispose]();
  }
}

function show({ waits, store }: JobsRoom, { record: { jobId, sessionId } }: Tracked, error: unknown): Disposable {
  const what = `the end of ${jobId}`;
  const name = isDiskFull(error) ? waitForRoom(what, store.folder) : `a store that takes ${what}`;
  return waits.begin(name, sessionId, undefined, 'blocks');
}

function pause(room: JobsRoom): Promise<void> {
  return new Promise((resolve) => {
    const timer: Disposable = room.clock.setTimer(againAfterMs, resolve);
    // Closing the room ends the wait.
    room.timers.add({
      [Symbol.dispose]() {
        timer[Symbol.dispose]();
        resolve();
      },
    });
  });
}

async function write(room: JobsRoom, tracked: Tracked, end: CommandEnd): Promise<void> {
  const archiveId = await keepOutput(room, tracked);
  const { jobId, sessionId } = tracked.record;
  const { outcome, exitCode, signal, durationMs, alive, reason } = end;
  const event: SessionEvent = {
    kind: 'job.finished',
    jobId,
    outcome,
    bytes: tracked.bytes,
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(signal === undefined ? {} : { signal }),
    ...(durationMs === undefined ? {} : { durationMs: Math.round(durationMs) }),
    ...(archiveId === undefined ? {} : { archiveId }),
    ...(alive === undefined ? {} : { alive }),
    ...(reason === undefined ? {} : { reason }),
  };
  await room.store.append(sessionId, [event]);
  tracked.phase = 'over';
  tracked.logged.resolve();
}

async function keepOutput(room: JobsRoom, tracked: Tracked): Promise<ArchiveId | undefined> {
  if (tracked.archiveId !== undefined) return tracked.archiveId as ArchiveId;
  const { folder, ended, shown } = tracked;
  const count = tracked.gone || ended === undefined ? await countOutput(folder) : ended.output;
  const output = { ...count, lines: ended?.output.lines ?? count.lines };
  tracked.bytes = count.bytes;
  // Kept before the output is moved into the archive: a crash between the two finds one of them.
  if (readNews(folder) === undefined) writeNews(folder, (await textFrom(folder, shown)).text);
  if (count.bytes === 0) return undefined;
  const body = await takeBody(folder, output, tracked.gone, room.archive.spoolPath);
  const id = body.kind === 'spool' ? await room.archive.adopt(body.file) : await room.archive.put(body.text);
  tracked.archiveId = id;
  return id;
}
