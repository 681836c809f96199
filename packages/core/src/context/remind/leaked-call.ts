/**
 * Decides what becomes of an answer whose tool call arrived as text: the model is told so, twice in a row at most, and then
 * the turn fails. Such a text looks like finished work and is none.
 */
import type { SessionEvent } from '@zerd/protocol/common/event';
import { looksLikeCall } from '../../model/leaked-call/suspect.ts';
import type { ToolDeclaration } from '../../model/prompt.ts';
import type { SessionState, TranscriptItem } from '../../session/state.ts';

export type LeakedCall =
  | { readonly kind: 'remind'; readonly reminder: Extract<SessionEvent, { kind: 'reminder.added' }> }
  | { readonly kind: 'give-up'; readonly times: number };

const mostTimes = 2;

const text =
  'Your tool call arrived as text, so nothing was run. Call the tool again, as a tool call and not in your text. If it was no call, put such markup into a code fence and end your answer.';

type Answer = Extract<TranscriptItem, { kind: 'answer' }>;

/** `answer` is the newest and has no calls. Undefined: it is what it looks like. */
export function leakedCall(state: SessionState, { content, turnId }: Answer): LeakedCall | undefined {
  const last = content.at(-1);
  const tools = JSON.parse(state.created.tools) as readonly ToolDeclaration[];
  if (last?.kind !== 'text' || tools.length === 0 || !looksLikeCall(last.text, tools)) return undefined;
  const times = remindedInARow(state.items) + 1;
  if (times > mostTimes) return { kind: 'give-up', times };
  return { kind: 'remind', reminder: { kind: 'reminder.added', turnId, text, about: { kind: 'leakedCall', times } } };
}

function remindedInARow(items: readonly TranscriptItem[]): number {
  const start = items.findLastIndex(({ kind }) => kind === 'message' || kind === 'toolResult');
  return items.slice(start + 1).filter((item) => item.kind === 'reminder' && item.about === 'leakedCall').length;
}
