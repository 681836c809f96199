/** Makes the result of a call of the log of the sub-agent that worked for it: its last answer, or how far it came. */

import { resultsLeft } from '@zerd/core/subagents/results-left';
import { spentBy } from '@zerd/core/subagents/tree';
import { brokenOff, filesLine, headOf, lastAnswer } from '@zerd/core/subagents/wording';
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { SessionId } from '@zerd/protocol/common/ids';
import type { Store, ToolResult } from '../../base/ports.ts';
import type { Book } from '../book.ts';

export interface EndedChild {
  readonly child: SessionId;
  readonly title: string;
  /** The parent's turn was interrupted. */
  readonly aborted: boolean;
}

export function resultOf(
  { store, book }: { readonly store: Store; readonly book: Book },
  { child, title, aborted }: EndedChild,
): ToolResult {
  const state = book.state(child);
  const end = endOf(store, child);
  const said = lastAnswer(state);
  const done = end?.outcome === 'done';
  const parts = done
    ? [said || 'It gave no answer.', filesLine(state)]
    : [brokenOff(end?.outcome ?? 'interrupted', end?.failure?.message, said), filesLine(state), resultsLeft(state)];
  return {
    outcome: done ? 'ok' : aborted ? 'interrupted' : 'failed',
    head: headOf(title, child, spentBy(store.sessions(), child)),
    body: { kind: 'text', text: parts.filter((part) => part !== '').join('\n') },
  };
}

function endOf(store: Store, child: SessionId) {
  const ends = store.read(child).map(({ event }) => event);
  return ends.findLast(
    (event): event is Extract<SessionEvent, { kind: 'turn.finished' }> => event.kind === 'turn.finished',
  );
}
