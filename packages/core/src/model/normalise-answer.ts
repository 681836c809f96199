/**
 * Makes an answer fit for the log: every call id is unique in its session and of the form that providers accept, no
 * arguments beyond the limit stay, every text is well-formed. What is changed is named in `broken`, so that the call is
 * answered with an error instead of being run (I4, I12).
 */
import type { AssistantBlock } from '@zerd/protocol/common/event';
import { type CallId, callIdSchema } from '@zerd/protocol/common/ids';
import { utf8Length, wellFormed } from '../text/utf8.ts';

/** Bytes of one call's arguments. The largest file that is sensibly written in one call is well below. */
export const maxInputBytes = 1024 * 1024;

/** Calls of one answer. More than this is a model in a loop. */
export const maxCalls = 128;

export function normaliseAnswer(
  content: readonly AssistantBlock[],
  used: ReadonlySet<CallId>,
): readonly AssistantBlock[] {
  const taken = new Set<string>(used);
  let calls = 0;
  return content.flatMap((block): readonly AssistantBlock[] => {
    if (block.kind === 'text') return [{ kind: 'text', text: wellFormed(block.text) }];
    if (block.kind === 'opaque') return [block];
    if (++calls > maxCalls) return [];
    const callId = uniqueId(block.callId, taken);
    taken.add(callId);
    const tooLong = utf8Length(block.inputJson) > maxInputBytes;
    if (tooLong) return [{ ...block, callId, inputJson: '{}', broken: `the arguments exceed ${maxInputBytes} bytes` }];
    return [{ ...block, callId, name: wellFormed(block.name).slice(0, 64), inputJson: wellFormed(block.inputJson) }];
  });
}

function uniqueId(wished: string, taken: ReadonlySet<string>): CallId {
  const base = wished.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 56) || 'call';
  let id = base;
  for (let n = 2; taken.has(id); n++) id = `${base}_${n}`;
  return callIdSchema.parse(id);
}
