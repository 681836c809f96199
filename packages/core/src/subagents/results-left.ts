/**
 * Names what a sub-agent that did not come to its end had been shown, so that its parent need not have it done again: the
 * newest of its results, each with the archive id under which the whole can be recalled. Invariant: bounded.
 */
import { counted } from '../context/admit/format-count.ts';
import { shortId } from '../context/cleared.ts';
import { callWords } from '../context/relieve/call-words.ts';
import type { SessionState } from '../session/state.ts';

/** The newest are the likeliest to be wanted. */
const mostLines = 8;

/** '' when it had none. */
export function resultsLeft({ items }: Pick<SessionState, 'items'>): string {
  const blocks = items.flatMap((item) => (item.kind === 'answer' ? item.content : []));
  const calls = new Map(blocks.flatMap((block) => (block.kind === 'toolCall' ? [[block.callId, block]] : [])));
  const lines = items.flatMap((item) => {
    const call = item.kind === 'toolResult' ? calls.get(item.callId) : undefined;
    if (item.kind !== 'toolResult' || item.archiveId === undefined || call === undefined) return [];
    return [
      `- ${callWords(call).label}: ${counted(item.shown.split('\n').length, 'line')}, ${shortId(item.archiveId)}`,
    ];
  });
  if (lines.length === 0) return '';
  const more = lines.length - mostLines;
  const rest = more > 0 ? `, the newest of ${lines.length}` : '';
  return [`Its results, to recall by id${rest}:`, ...lines.slice(-mostLines)].join('\n');
}
