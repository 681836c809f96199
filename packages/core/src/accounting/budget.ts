/**
 * Decides whether a request may be sent under the budgets that hold for it. Its whole input must fit in what is left, with
 * all that is under way counted at its worst, answers too. Invariant: no budget is passed by more than the output of one
 * request, however many are under way at once.
 */
import type { BudgetScope, SpendingLimit } from '@zerd/protocol/common/cost-events';

/** `pico` null: there is no price, so no limit in money can hold. */
export interface Cost {
  readonly pico: number | null;
  readonly tokens: number;
}

/** What a request may come to. */
export interface Worst {
  readonly input: Cost;
  readonly output: Cost;
}

export interface Spent {
  readonly pico: number;
  readonly tokens: number;
}

export interface HeldBudget {
  readonly scope: BudgetScope;
  /** With what the user allowed besides. */
  readonly limit: SpendingLimit;
  readonly spent: Spent;
  /** The worst of all that is under way. */
  readonly reserved: Spent;
}

export type Measure = 'pico' | 'tokens';

export type Admission =
  | { readonly kind: 'go' }
  /** What is under way may come to less: ask again when some of it has ended. */
  | { readonly kind: 'wait'; readonly scope: BudgetScope }
  | { readonly kind: 'reached'; readonly budget: HeldBudget; readonly measure: Measure };

export function admitRequest(budgets: readonly HeldBudget[], { input }: Worst): Admission {
  const rooms = budgets.flatMap((budget) => roomsOf(budget, input));
  const reached = rooms.find(({ needs, left }) => needs > left);
  if (reached !== undefined) return { kind: 'reached', budget: reached.budget, measure: reached.measure };
  const full = rooms.find(({ needs, left, reserved }) => needs + reserved > left);
  return full === undefined ? { kind: 'go' } : { kind: 'wait', scope: full.budget.scope };
}

interface Room {
  readonly budget: HeldBudget;
  readonly measure: Measure;
  readonly needs: number;
  readonly left: number;
  readonly reserved: number;
}

/** For each measure that has a limit and can be told. */
function roomsOf(budget: HeldBudget, input: Cost): readonly Room[] {
  return (['pico', 'tokens'] as const).flatMap((measure) => {
    const limit = budget.limit[measure];
    const needs = input[measure];
    if (limit === undefined || needs === null) return [];
    return [{ budget, measure, needs, left: limit - budget.spent[measure], reserved: budget.reserved[measure] }];
  });
}

/** What is set aside for a request until it is settled. */
export function reservationOf({ input, output }: Worst): Spent {
  return { pico: (input.pico ?? 0) + (output.pico ?? 0), tokens: input.tokens + output.tokens };
}

/** Where only one has a figure it stands for both. */
export function plusLimit(a: SpendingLimit, b: SpendingLimit): SpendingLimit {
  const pico = plus(a.pico, b.pico);
  const tokens = plus(a.tokens, b.tokens);
  return { ...(pico === undefined ? {} : { pico }), ...(tokens === undefined ? {} : { tokens }) };
}

/** What was allowed besides a limit that there is; nothing is added to none. */
export function raisedLimit(limit: SpendingLimit, by: SpendingLimit): SpendingLimit {
  const { pico, tokens } = limit;
  return {
    ...(pico === undefined ? {} : { pico: pico + (by.pico ?? 0) }),
    ...(tokens === undefined ? {} : { tokens: tokens + (by.tokens ?? 0) }),
  };
}

function plus(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : a + b;
}
