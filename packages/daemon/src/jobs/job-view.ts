/** A command in the background as others see it. */
import type { Job } from '../base/job-ports.ts';
import { sizeNow } from '../processes/read-output.ts';
import type { Tracked } from './tracked.ts';

export function jobOf(tracked: Tracked): Job {
  const { jobId, sessionId, callId, command, startedAt } = tracked.record;
  const over = tracked.phase === 'over';
  return {
    jobId,
    sessionId,
    callId,
    command,
    startedAt,
    end: over ? tracked.end : undefined,
    bytes: over ? tracked.bytes : sizeNow(tracked.folder),
    alive: tracked.gone ? 0 : tracked.alive,
  };
}
