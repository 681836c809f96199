/** The result of a call that did not run: what the model is told in its place. */
import type { OpenCall } from '@zerd/core/session/state';
import type { SessionEvent, ToolOutcome } from '@zerd/protocol/common/event';

export function resultWithoutRun({ turnId, callId }: OpenCall, outcome: ToolOutcome, shown: string): SessionEvent {
  return { kind: 'toolCall.finished', turnId, callId, outcome, shown, bytes: Buffer.byteLength(shown), durationMs: 0 };
}
