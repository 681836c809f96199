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

/** Calls of one answer that may run. More than this is a model in a loop: of the others one is kept, to say so. */
export const maxCalls = 128;

export function normaliseAnswer(
  content: readonly AssistantBlock[],
  used: ReadonlySet<CallId>,
): readonly AssistantBlock[] {
  const taken = new Set<string>(used);
  const beyond = content.filter((block) => block.kind === 'toolCall').length - maxCalls;
  let calls = 0;
  return content.flatMap((block): readonly AssistantBlock[] => {
    if (block.kind === 'text') return [{ kind: 'text', text: wellFormed(block.text) }];
    if (block.kind === 'opaque') return [block];
    if (++calls > maxCalls + 1) return [];
    const callId = uniqueId(block.callId, taken);
    taken.add(callId);
    if (calls > maxCalls) return [{ ...shortened(block), callId, broken: tooMany(beyond) }];
    const tooLong = utf8Length(block.inputJson) > maxInputBytes;
    if (tooLong) return [{ ...shortened(block), callId, broken: `the arguments exceed ${maxInputBytes} bytes` }];
    return [{ ...block, callId, name: nameOf(block), inputJson: wellFormed(block.inputJson) }];
  });
}

type CallBlock = Extract<AssistantBlock, { kind: 'toolCall' }>;

function shortened(block: CallBlock): CallBlock {
  return { ...block, name: nameOf(block), inputJson: '{}' };
}

function nameOf({ name }: CallBlock): string {
  return wellFormed(wellFormed(name).slice(0, 64));
}

/** Stands in the one call beyond the limit that is kept, for all of them. */
function tooMany(beyond: number): string {
  return `${beyond} ${beyond === 1 ? 'call' : 'calls'} of this answer beyond the first ${maxCalls} came to nothing`;
}

function uniqueId(wished: string, taken: ReadonlySet<string>): CallId {
  const base = wished.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 56) || 'call';
  let id = base;
  for (let n = 2; taken.has(id); n++) id = `${base}_${n}`;
  return callIdSchema.parse(id);
}
