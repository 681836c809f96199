/** What the user allows to be spent, as the configuration has it: dollars become pico-dollars. */
import type { BudgetScope, SpendingLimit } from '@zerd/protocol/common/cost-events';
import type { ConfigFile } from './schema.ts';

export type Budgets = { readonly [S in BudgetScope]?: SpendingLimit };

export function budgetsOf(given: NonNullable<ConfigFile['budgets']>): Budgets {
  const scopes = Object.entries(given).flatMap(([scope, limit]) =>
    limit === undefined ? [] : [[scope, spendingLimit(limit)] as const],
  );
  return Object.fromEntries(scopes);
}

export interface SaidLimit {
  readonly maxCostUsd?: number;
  readonly maxTokens?: number;
}

/** As clients say it, for an event. */
export function saidBudget({ maxCostUsd, maxTokens }: SaidLimit): { readonly budget?: SpendingLimit } {
  if (maxCostUsd === undefined && maxTokens === undefined) return {};
  return { budget: spendingLimit({ usd: maxCostUsd, tokens: maxTokens }) };
}

function spendingLimit({
  usd,
  tokens,
}: {
  readonly usd?: number | undefined;
  readonly tokens?: number | undefined;
}): SpendingLimit {
  return {
    ...(usd === undefined ? {} : { pico: Math.round(usd * 1e12) }),
    ...(tokens === undefined ? {} : { tokens }),
  };
}
