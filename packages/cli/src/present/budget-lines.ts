/** Puts budgets into words: what was spent of each and what is left. A sum that does not hold everything says so (I11). */
import type { Budget } from '@zerd/protocol/common/methods';
import { counted, dollars, thousands } from './cost-line.ts';

const nameOf: Readonly<Record<Budget['scope'], string>> = {
  session: 'the session',
  subagents: 'its sub-agents',
  day: 'today',
  repository: 'the repository',
};

export function budgetLines(budgets: readonly Budget[]): readonly string[] {
  return budgets.flatMap((budget) => [...inMoney(budget), ...inTokens(budget)]);
}

function inMoney({ scope, limit, spentPico, unpricedRequests, estimatedPico = 0 }: Budget): readonly string[] {
  if (limit.pico === undefined) return [];
  const unpriced = counted(unpricedRequests, 'unpriced request');
  const beside = unpricedRequests === 0 ? '' : `, beside ${unpriced}`;
  const silent = `, of it ${dollars(estimatedPico)} estimated${unpricedRequests === 0 ? '' : ` for ${unpriced}`}`;
  return [
    line(scope, dollars(spentPico), dollars(limit.pico), dollars(Math.max(0, limit.pico - spentPico))) +
      (estimatedPico > 0 ? silent : beside),
  ];
}

function inTokens({ scope, limit, spentTokens, estimatedTokens = 0 }: Budget): readonly string[] {
  if (limit.tokens === undefined) return [];
  const left = Math.max(0, limit.tokens - spentTokens);
  const silent = estimatedTokens === 0 ? '' : `, of it ${thousands(estimatedTokens)} estimated`;
  return [line(scope, thousands(spentTokens), `${thousands(limit.tokens)} tokens`, thousands(left)) + silent];
}

function line(scope: Budget['scope'], spent: string, limit: string, left: string): string {
  return `budget of ${nameOf[scope]}: ${spent} of ${limit} spent, ${left} left`;
}
