/**
 * Does: makes room after a provider refused a prompt as too long, so that the turn can go on. Invariant: two summaries in a
 * row at most; then the turn ends with a named failure, and nothing is tried again by itself (F-12, P108).
 */
import { mayCompact } from '@zerd/core/context/compact/allowed';
import type { Failure } from '@zerd/protocol/common/event';
import type { TurnContext } from '../turn-context.ts';
import { compactContext } from './compact-context.ts';

const mostSummaries = 2;

export interface Overflow {
  readonly failure: Failure;
  /** The answer filled the window, and not the prompt alone. */
  readonly inAnswer: boolean;
  /** How often it happened in a row, this time included. */
  readonly times: number;
}

/** Undefined: there is room again. */
export async function afterOverflow(turn: TurnContext, overflow: Overflow): Promise<Failure | undefined> {
  const { failure: refused, inAnswer, times } = overflow;
  if (times > mostSummaries) return { ...refused, message: `${refused.message} ${twoInVain}` };
  if (!mayCompact(turn.state().compactions)) return { ...refused, message: `${refused.message} ${notNow}` };
  const reason = inAnswer ? 'an answer filled the window' : 'the provider refused the prompt as too long';
  const left = await compactContext(turn, { reason, overflow: true, all: inAnswer });
  return left && { ...left, message: `${refused.message} ${left.message}` };
}

const twoInVain =
  'Two summaries did not bring the conversation below that. Choose a model with a larger window, or start a new session; this one is kept.';
const notNow =
  'Summaries of this conversation have not lasted or could not be made, so none is tried now. Go on later, with a larger window, or in a new session; this one is kept.';
