/** Does: changes what a session may do. Invariant: its sub-agents never may do more than it may. */
import { narrower } from '@zerd/core/subagents/may-start';
import type { SessionId } from '@zerd/protocol/common/ids';
import type { Mode } from '@zerd/protocol/common/mode';
import type { Book } from './book.ts';

export async function setMode(book: Book, sessionId: SessionId, mode: Mode): Promise<void> {
  const state = book.state(sessionId);
  for (const { sessionId: child } of state.subagents)
    await setMode(book, child, narrower(mode, book.state(child).mode));
  if (state.mode !== mode) await book.append(sessionId, [{ kind: 'mode.changed', mode }]);
}
