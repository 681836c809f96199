/** Waits for prompts to enter a turn. Invariant: one that entered before anybody waits for it is not lost. */
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { PromptId, TurnId } from '@zerd/protocol/common/ids';

/** The turn that it went into; undefined: it was taken back. */
type Into = TurnId | undefined;

export interface Submissions {
  observe(event: SessionEvent): void;
  of(promptId: PromptId): Promise<Into>;
}

/** As many are kept as could come between the answer that names a prompt and the wait for it. */
const kept = 50;

export function submissions(): Submissions {
  const known = new Map<PromptId, Into>();
  const waiting = new Map<PromptId, (into: Into) => void>();

  function settle(promptId: PromptId, into: Into): void {
    known.set(promptId, into);
    waiting.get(promptId)?.(into);
    waiting.delete(promptId);
    const [oldest] = known.keys();
    if (known.size > kept && oldest !== undefined) known.delete(oldest);
  }

  return {
    observe(event) {
      if (event.kind === 'message.submitted' && event.promptId !== undefined) settle(event.promptId, event.turnId);
      if (event.kind === 'prompt.removed') settle(event.promptId, undefined);
    },
    of(promptId) {
      if (known.has(promptId)) return Promise.resolve(known.get(promptId));
      return new Promise((resolve) => waiting.set(promptId, resolve));
    },
  };
}
