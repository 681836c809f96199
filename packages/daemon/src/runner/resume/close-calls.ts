/** Decides what becomes of calls that a turn leaves behind: each gets a result that says whether it had begun (I9). */
import { unknownResult } from '@zerd/core/context/render';
import type { OpenCall } from '@zerd/core/session/state';
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { CallId, JobId } from '@zerd/protocol/common/ids';

/** The command of a call that goes on as a job; undefined: there is none. */
export type JobOfCall = (callId: CallId) => { readonly jobId: JobId; readonly command: string } | undefined;

export function closeCalls(calls: readonly OpenCall[], jobOf: JobOfCall = () => undefined): readonly SessionEvent[] {
  return calls.flatMap((call) => {
    const { turnId, callId } = call;
    const begun = call.startedAt !== undefined;
    const job = begun ? jobOf(callId) : undefined;
    const shown = job === undefined ? closedText(begun) : `${interruptedCommand} ${goesOnAs(job.jobId)}`;
    const finished: SessionEvent = {
      kind: 'toolCall.finished',
      turnId,
      callId,
      outcome: begun ? 'unknown' : 'interrupted',
      shown,
      bytes: Buffer.byteLength(shown),
      durationMs: 0,
      ...(job === undefined ? {} : { jobId: job.jobId }),
    };
    return job === undefined ? [finished] : [{ kind: 'job.started', turnId, callId, ...job }, finished];
  });
}

function closedText(begun: boolean): string {
  return begun ? unknownResult : 'Interrupted before it ran: it had no effect.';
}

const interruptedCommand =
  'Interrupted, result unknown: the daemon stopped while the command ran. Do not run it again.';

function goesOnAs(jobId: JobId): string {
  return `It is ${jobId}; you are told how it ended, or will be when it ends.`;
}
