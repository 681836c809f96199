/** Decides whether an answer is a summary: words, and nothing else. What is refused is refused with a reason for people. */
import type { Answer } from '../../model/answer.ts';

export type Prose =
  | { readonly kind: 'prose'; readonly text: string }
  | { readonly kind: 'refused'; readonly why: string };

/** Less says nothing of a session. */
const leastCharacters = 20;

export function proseOf({ content, stopReason }: Pick<Answer, 'content' | 'stopReason'>): Prose {
  if (content.some((block) => block.kind === 'toolCall')) return refused('it called a tool');
  if (stopReason === 'refusal') return refused('the model declined');
  if (stopReason === 'contextFull') return refused('it did not fit into the window');
  const text = content.flatMap((block) => (block.kind === 'text' ? [block.text] : [])).join('\n');
  return text.trim().length < leastCharacters ? refused('it was empty') : { kind: 'prose', text: text.trim() };
}

function refused(why: string): Prose {
  return { kind: 'refused', why };
}
