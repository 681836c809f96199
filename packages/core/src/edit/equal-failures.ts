/** Counts how often the same edit has failed already, so that the third failure can answer with the present text. */

import type { CallId } from '@zerd/protocol/common/ids';
import type { SessionState } from '../session/state.ts';

/** From this failure on, the text as it is now comes with it. */
export const showTextAfter = 3;

/** Failures of an edit with these very arguments, since the file was last changed by an edit or a write. */
export function equalFailures(state: SessionState, inputJson: string, path: string): number {
  const inputs = inputsOf(state);
  const changed = state.items.findLastIndex(
    (item) =>
      item.kind === 'toolResult' && item.outcome === 'ok' && isChange(item.name) && item.touched?.includes(path),
  );
  const since = state.items.slice(changed + 1);
  return since.filter(
    (item) =>
      item.kind === 'toolResult' &&
      item.name === 'edit' &&
      item.outcome === 'failed' &&
      inputs.get(item.callId) === inputJson,
  ).length;
}

function isChange(name: string): boolean {
  return name === 'edit' || name === 'write';
}

function inputsOf(state: SessionState): ReadonlyMap<CallId, string> {
  const inputs = new Map<CallId, string>();
  for (const item of state.items) {
    if (item.kind !== 'answer') continue;
    for (const block of item.content) if (block.kind === 'toolCall') inputs.set(block.callId, block.inputJson);
  }
  return inputs;
}
