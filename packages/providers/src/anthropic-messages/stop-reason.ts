/** What a Messages `stop_reason` means in the house; reasons of clones and of the future are 'other'. */
import type { StopReason } from '@zerd/protocol/common/event';

const reasons: Readonly<Record<string, StopReason>> = {
  end_turn: 'end',
  stop_sequence: 'end',
  tool_use: 'toolUse',
  max_tokens: 'maxTokens',
  pause_turn: 'pause',
  refusal: 'refusal',
  model_context_window_exceeded: 'contextFull',
  // z.ai's name for a refusal.
  sensitive: 'refusal',
};

export function stopReasonOf(reason: string | undefined): StopReason {
  return (reason === undefined ? undefined : reasons[reason]) ?? 'other';
}
