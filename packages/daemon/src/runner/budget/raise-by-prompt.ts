/**
 * Decides what a prompt that waits and brings a larger limit allows at once: who is asked whether the budget of the session
 * may be raised has that answer. Where nobody is asked, the limit holds from the prompt's own turn on.
 */
import { moreThan } from '@zerd/core/accounting/larger-limit';
import type { SpendingLimit } from '@zerd/protocol/common/cost-events';
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { SessionId } from '@zerd/protocol/common/ids';
import type { BudgetDesk } from './desk.ts';

export function raisedByPrompt(
  desk: Pick<BudgetDesk, 'budgets' | 'isAsked'>,
  sessionId: SessionId,
  said: SpendingLimit | undefined,
): readonly SessionEvent[] {
  if (said === undefined) return [];
  const asked = desk.budgets(sessionId).find((budget) => budget.scope === 'session' && desk.isAsked(budget));
  const by = asked && moreThan(asked.limit, said);
  return by === undefined ? [] : [{ kind: 'budget.raised', scope: 'session', by }];
}
