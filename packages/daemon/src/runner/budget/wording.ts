/** What people are told about budgets: what is left, what the next request may come to, and how to allow more. */
import type { Worst } from '@zerd/core/accounting/budget';
import { formatUsd } from '@zerd/core/accounting/format-usd';
import type { BudgetScope } from '@zerd/protocol/common/cost-events';
import type { Failure } from '@zerd/protocol/common/event';
import type { KnownBudget } from './budgets-of.ts';
import type { Entered } from './desk.ts';

type Reached = Extract<Entered, { kind: 'reached' }>;
type Measure = Reached['measure'];

export function raiseQuestion(reached: Reached, worst: Worst): string {
  const { budget, measure } = reached;
  const more = (budget.limit[measure] ?? 0) + (budget.set[measure] ?? 0);
  return `${situation(reached, worst)} All that was done is kept. Raise it by as much, to ${amount(measure, more)}?`;
}

export function limitReached(reached: Reached, worst: Worst): Failure {
  const message = `${situation(reached, worst)} All that was done is kept. ${howToRaise(reached.budget.scope)}`;
  return { code: 'limit_reached', message };
}

function situation({ budget, measure }: Reached, worst: Worst): string {
  const whole = `${capital(nameOf[budget.scope])} of ${amount(measure, budget.limit[measure] ?? 0)}`;
  const next = amount(measure, worst.input[measure] ?? 0);
  const spent = `${amount(measure, budget.spent[measure])} ${measure === 'tokens' ? 'are' : 'is'} spent`;
  const estimated = budget.totals[measure === 'pico' ? 'estimatedPico' : 'estimatedTokens'] ?? 0;
  const silent = estimated === 0 ? '' : ` (${amount(measure, estimated)} of it estimated: not all of it was reported)`;
  return `${whole} is reached: ${spent}${silent}, and the next request may take ${next} before its answer.`;
}

function howToRaise(scope: BudgetScope): string {
  const setting = `Raise \`budgets.${scope}\` in the configuration`;
  return scope === 'session'
    ? 'Go on with a larger --max-cost or --max-tokens, or raise `budgets.session` in the configuration.'
    : `${setting} and continue the session to go on.`;
}

export function unpricedText(model: string, known: readonly KnownBudget[]): string {
  const inMoney = known.filter(({ limit }) => limit.pico !== undefined).map(({ scope }) => nameOf[scope]);
  const tokens = known.some(({ limit }) => limit.tokens !== undefined);
  const instead = tokens
    ? 'Limits in tokens hold.'
    : 'Give a limit in tokens too (--max-tokens, or `tokens` of a budget), or a price in the configuration.';
  return `${model} has no price, so what it costs is not known and ${inMoney.join(', ')} cannot hold for it. ${instead}`;
}

const nameOf: Readonly<Record<BudgetScope, string>> = {
  session: 'the budget of the session',
  subagents: 'the budget of its sub-agents',
  day: 'the budget of the day',
  repository: 'the budget of the repository',
};

function amount(measure: Measure, value: number): string {
  return measure === 'pico' ? formatUsd(value) : `${value} tokens`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
