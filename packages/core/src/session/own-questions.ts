/**
 * Decides what words say to a question that zerd itself asks. Invariant: what is neither a yes nor a no is none of them: it
 * may have been meant for the model, and money and work hang on it.
 */
import type { PendingQuestion } from '@zerd/protocol/common/methods';

export type OwnQuestion = Extract<PendingQuestion['about'], 'retry' | 'budget'>;

export function isOwnQuestion(about: PendingQuestion['about']): about is OwnQuestion {
  return about === 'retry' || about === 'budget';
}

export function decisionOf(about: OwnQuestion, answer: string): 'yes' | 'no' | undefined {
  const words = answer.trim();
  if (yes[about].test(words)) return 'yes';
  return no.test(words) ? 'no' : undefined;
}

const yes: Readonly<Record<OwnQuestion, RegExp>> = {
  retry: /^(?:try again|again|retry|go on|continue|yes|y|ok)[.!]?$/i,
  budget: /^(?:raise(?: it(?: by as much)?)?|yes|y|ok)[.!]?$/i,
};

const no = /^(?:stop|no|n)\b/i;
