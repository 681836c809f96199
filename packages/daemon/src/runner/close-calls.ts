/** Decides what becomes of calls that a turn leaves behind: each gets a result that says whether it had begun (I9). */
import { unknownResult } from '@zerd/core/context/render';
import type { OpenCall } from '@zerd/core/session/state';
import type { SessionEvent } from '@zerd/protocol/common/event';

export function closeCalls(calls: readonly OpenCall[]): readonly SessionEvent[] {
  return calls.map((call) => {
    const begun = call.startedAt !== undefined;
    const shown = begun ? unknownResult : 'Interrupted before it ran: it had no effect.';
    return {
      kind: 'toolCall.finished',
      turnId: call.turnId,
      callId: call.callId,
      outcome: begun ? 'unknown' : 'interrupted',
      shown,
      bytes: Buffer.byteLength(shown),
      durationMs: 0,
    };
  });
}
