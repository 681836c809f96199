/**
 * Plays fixed steps in order, then answers 'done'. The cursor is the number of answers delivered whole, so a request
 * that is retried or was refused gets the same step again.
 */
import type { Player, Step } from './player.ts';

export interface ScriptOptions {
  /** Every conversation (told apart by its first user message) begins at the first step. Default: one cursor for all. */
  readonly perConversation?: boolean;
}

export function scriptPlayer(steps: readonly Step[], options: ScriptOptions = {}): Player {
  return (_view, memory) =>
    steps[options.perConversation === true ? memory.deliveredHere : memory.delivered] ?? { text: 'done' };
}

/** The same script, its mending steps left out. */
export function withoutFix(steps: readonly Step[]): readonly Step[] {
  return steps.filter((step) => step.fix !== true);
}
