/**
 * Learns from the log what has become of a command's call: its result names a job, and the command is one from then on;
 * or it names none, and nothing of the command is kept. Once the model has been told of an end, its folder goes.
 */
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { SessionId } from '@zerd/protocol/common/ids';
import type { JobsRoom } from './room.ts';
import type { Tracked } from './tracked.ts';

/** `end`: ends what is left of a command. */
export function followLog(
  room: JobsRoom,
  onJob: (tracked: Tracked) => void,
  end: (tracked: Tracked) => void,
): Disposable {
  const handle = (sessionId: SessionId, event: SessionEvent) => {
    if (event.kind === 'job.started') {
      const tracked = room.tracked.get(event.jobId);
      if (tracked === undefined) return;
      tracked.inLog = true;
      tracked.phase = tracked.phase === 'call' ? 'job' : tracked.phase;
      onJob(tracked);
    }
    if (event.kind === 'toolCall.finished' && event.jobId === undefined)
      for (const tracked of ofCall(room, sessionId, event.callId)) {
        // An interrupt may come between the end of the shell and the result that would have named what it left.
        if (tracked.ended?.alive !== 0) end(tracked);
        letGo(room, tracked);
      }
    if (event.kind === 'reminder.added' && event.about.kind === 'jobsEnded')
      for (const jobId of event.about.jobIds) told(room, jobId);
  };
  return room.store.onCommit((sessionId, events) => {
    for (const { event } of events) handle(sessionId, event);
  });
}

function ofCall(room: JobsRoom, sessionId: SessionId, callId: string): readonly Tracked[] {
  return [...room.tracked.values()].filter(
    ({ record, inLog }) => !inLog && record.sessionId === sessionId && record.callId === callId,
  );
}

function letGo(room: JobsRoom, tracked: Tracked): void {
  room.tracked.delete(tracked.record.jobId);
  tracked.waitsForRoom?.[Symbol.dispose]();
  room.folders.remove(tracked.folder);
}

/** What outlives it is found by its folder when the session ends. */
function told(room: JobsRoom, jobId: string): void {
  const tracked = room.tracked.get(jobId);
  if (tracked?.phase !== 'over' || !tracked.gone) return;
  room.folders.remove(tracked.folder);
  const over = [...room.tracked.values()].filter(({ phase, gone }) => phase === 'over' && gone);
  for (const { record } of over.slice(0, Math.max(0, over.length - mostEnded))) room.tracked.delete(record.jobId);
}

/** Ended jobs that can still be read by their id; the log knows the others. */
const mostEnded = 100;
