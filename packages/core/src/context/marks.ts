/**
 * Decides where cache entries are wished, for providers that keep them only at marks: three at most, the end of the fixed
 * part aside. Invariants: every mark stands on a block that is sent again unchanged (P006); one of them finds the entry
 * that the previous request left, at its own block or within look-back.
 */
import type { RequestId } from '@zerd/protocol/common/ids';
import type { CacheMark, PromptMessage } from '../model/prompt.ts';
import type { SessionState } from '../session/state.ts';

/** Where each answered request's prompt ended. */
export type Tails = ReadonlyMap<RequestId, CacheMark>;

/** A mark finds an entry at its own block or at one of the 20 before it (Anthropic, 2026-07-01); with a margin. */
const reach = 15;

/**
 * What the newest trim or summary made final; where the previous request left its entry; the newest tail, where this one
 * leaves its own. Right after a trim the previous entry is void: there the mark goes where the last one survives.
 */
export function placeMarks(
  state: SessionState,
  messages: readonly PromptMessage[],
  tails: Tails,
): readonly CacheMark[] {
  const trim = state.trims.newest;
  const answer = state.items.findLast((item) => item.kind === 'answer');
  const tailOf = (request: RequestId | undefined) => (request === undefined ? undefined : tails.get(request));
  const isFresh = trim !== undefined && trim.seq > (answer?.seq ?? 0);
  const newest = messages.findLastIndex((message) => message.role === 'user');
  const end = endOf(messages, newest);
  const previous = tailOf(answer?.requestId) ?? endBeforeAnswer(messages, newest);
  const final = trim === undefined ? firstFinal(state) : tailOf(trim.keptFrom);
  // Where no request's entry survives a trim, that of the summary in front does: the planner counts on its being read.
  const survivor = tailOf(trim?.entryAt) ?? firstFinal(state);
  return inOrder([final, isFresh ? survivor : nearer(messages, previous, end), end]);
}

/** A summary is what is final until a trim behind it makes more so; else files that sisters are handed too. */
function firstFinal({ compactions, items }: SessionState): CacheMark | undefined {
  const [first] = items;
  const handed = first?.kind === 'message' && first.handed !== undefined;
  return compactions.newest !== undefined || handed ? { message: 0, block: 0 } : undefined;
}

/** Undefined: there is no such message, or it is an answer. */
export function endOf(messages: readonly PromptMessage[], index: number): CacheMark | undefined {
  const message = messages[index];
  return message?.role === 'user' ? { message: index, block: message.blocks.length - 1 } : undefined;
}

/** The request that carried on a paused answer ended in that answer, which takes no mark. */
function endBeforeAnswer(messages: readonly PromptMessage[], newest: number): CacheMark | undefined {
  const answered = messages.findLastIndex((message, i) => i < newest && message.role === 'assistant');
  return endOf(messages, answered - 1);
}

/** A turn that adds many blocks gets an entry inside it as well: the mark moves there as far as it still finds the entry. */
function nearer(
  messages: readonly PromptMessage[],
  tail: CacheMark | undefined,
  end: CacheMark | undefined,
): CacheMark | undefined {
  if (tail === undefined || end === undefined) return undefined;
  const places = messages
    .slice(tail.message, end.message + 1)
    .flatMap(({ blocks }, i) =>
      blocks.map(({ kind }, block) => ({ mark: { message: tail.message + i, block }, markable: kind !== 'opaque' })),
    );
  const added = places.slice(tail.block + 1);
  const moved = added.length > reach ? added.slice(0, reach).findLast(({ markable }) => markable) : undefined;
  return moved?.mark ?? tail;
}

/** From the front on, each place once. */
function inOrder(marks: readonly (CacheMark | undefined)[]): readonly CacheMark[] {
  const sorted = marks.filter((mark) => mark !== undefined).sort((a, b) => a.message - b.message || a.block - b.block);
  return sorted.filter(({ message, block }, i) => {
    const last = sorted[i - 1];
    return last?.message !== message || last.block !== block;
  });
}
