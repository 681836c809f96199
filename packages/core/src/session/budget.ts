/**
 * What a session may spend by the user's own word, as a part of the fold. Invariant: a limit that is set anew stands for
 * itself: what was allowed beyond an earlier one does not add to it.
 */
import type { SpendingLimit } from '@zerd/protocol/common/cost-events';
import type { SessionEvent } from '@zerd/protocol/common/event';
import { plusLimit } from '../accounting/budget.ts';
import type { SessionBudget } from './state.ts';

export const noBudget: SessionBudget = { own: undefined, raised: {}, subagentsRaised: {}, warned: [] };

export function budgetFrom(budget: SessionBudget, own: SpendingLimit | undefined): SessionBudget {
  return own === undefined ? budget : { ...budget, own, raised: {} };
}

/** Those of a day and of the repository are summed up elsewhere: every session of the repository spends of them. */
export function raiseBudget(
  budget: SessionBudget,
  { scope, by }: Extract<SessionEvent, { kind: 'budget.raised' }>,
): SessionBudget {
  if (scope === 'session') return { ...budget, raised: plusLimit(budget.raised, by) };
  if (scope === 'subagents') return { ...budget, subagentsRaised: plusLimit(budget.subagentsRaised, by) };
  return budget;
}

export function warnedOf(budget: SessionBudget, model: string): SessionBudget {
  return budget.warned.includes(model) ? budget : { ...budget, warned: [...budget.warned, model] };
}
