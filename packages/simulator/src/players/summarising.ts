/**
 * A model that is asked for a summary of the conversation gives one of 350 tokens, and its script does not move on. It is
 * asked when the newest text of the user's side is a short one about a summary that no reminder wraps.
 */
import type { RequestView, ViewPart } from '../view/request-view.ts';
import type { Player } from './player.ts';

export function summarising(player: Player): Player {
  return (view, memory) => (asksForSummary(view) ? { text: summaryText, aside: true } : player(view, memory));
}

/** Longer texts about summaries are summaries. */
const longestRequest = 4_000;

function asksForSummary({ messages }: RequestView): boolean {
  const last: ViewPart | undefined = messages.at(-1)?.parts.at(-1);
  if (last?.kind !== 'text' || messages.at(-1)?.role !== 'user') return false;
  const text = last.text.trim();
  return text.length <= longestRequest && /\bsummar(y|i[sz]e)\b/i.test(text) && !text.startsWith('<');
}

/** 350 tokens by o200k, as facts about other agents were measured with. */
export const summaryText = [
  'The work so far: files were read and searched, edits were made with the edit tool, and the tests ran after each.',
  ...Array.from(
    { length: 16 },
    (_, i) => `Step ${i + 1} read a file, changed one counter in it and ran the tests again.`,
  ),
  'What is left: the counters that the tests still name, one file after the other, tests after each, nothing more than that is open at this very point of the work.',
].join('\n');
