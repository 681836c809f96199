/**
 * Which budgets hold for a session, and what was spent of each. A session's own limit is that of the session at the top of
 * its tree: whoever works for it spends of it. Invariant: all of it follows from the logs, the settings and the day.
 */
import { plusLimit, raisedLimit, type Spent } from '@zerd/core/accounting/budget';
import { addTotals, estimates, noTotals } from '@zerd/core/accounting/totals';
import type { BudgetScope, SpendingLimit } from '@zerd/protocol/common/cost-events';
import type { SessionId } from '@zerd/protocol/common/ids';
import type { Budget, SessionRow, Totals } from '@zerd/protocol/common/methods';
import type { Clock } from '@zerd/protocol/node/clock';
import type { Store } from '../../base/ports.ts';
import type { Config } from '../../config/load.ts';
import type { Book } from '../book.ts';

export interface BudgetParts {
  readonly store: Pick<Store, 'sessions' | 'totals' | 'totalsSince' | 'raisesSince'>;
  readonly book: Pick<Book, 'state'>;
  readonly readConfig: () => Pick<Config, 'budgets'>;
  readonly clock: Clock;
}

export interface KnownBudget {
  /** The same for all that spend of it. */
  readonly key: string;
  readonly scope: BudgetScope;
  /** As it was set; `limit` has what was allowed besides. */
  readonly set: SpendingLimit;
  readonly limit: SpendingLimit;
  readonly spent: Spent;
  readonly totals: Totals;
}

/** `sessionId` undefined: those of the repository alone. */
export function budgetsOf(parts: BudgetParts, sessionId: SessionId | undefined): readonly KnownBudget[] {
  const { budgets } = parts.readConfig();
  const own = sessionId === undefined ? [] : budgetsOfTree(parts, topOf(parts.book, sessionId));
  const day = budgets.day && allOf(parts, 'day', budgets.day, startOfDay(parts.clock.wall()));
  const repository = budgets.repository && allOf(parts, 'repository', budgets.repository, 0);
  return [...own, day, repository].filter((budget) => budget !== undefined).filter(({ limit }) => hasLimit(limit));
}

/** As `cost/read` tells them. */
export function readBudgets(parts: BudgetParts, sessionId?: SessionId): readonly Budget[] {
  return budgetsOf(parts, sessionId).map(({ scope, limit, spent, totals }) => ({
    scope,
    limit,
    spentPico: spent.pico,
    spentTokens: spent.tokens,
    unpricedRequests: totals.unpricedRequests,
    ...estimates(totals.estimatedPico ?? 0, totals.estimatedTokens ?? 0),
  }));
}

export function topOf(book: Pick<Book, 'state'>, sessionId: SessionId): SessionId {
  const { parent } = book.state(sessionId).created;
  return parent === undefined ? sessionId : topOf(book, parent.sessionId);
}

function budgetsOfTree({ store, book, readConfig }: BudgetParts, top: SessionId): readonly KnownBudget[] {
  const { budgets } = readConfig();
  const { own, raised, subagentsRaised } = book.state(top).budget;
  const session = own ?? budgets.session;
  if (session === undefined && budgets.subagents === undefined) return [];
  const theirs = totalsBelow(store, store.sessions(), top);
  const whole = addTotals(theirs, store.totals(top).totals);
  const known = (scope: BudgetScope, set: SpendingLimit | undefined, by: SpendingLimit, totals: Totals) =>
    set === undefined ? [] : [knownBudget(`${scope} ${top}`, scope, set, by, totals)];
  return [
    ...known('session', session, raised, whole),
    ...known('subagents', budgets.subagents, subagentsRaised, theirs),
  ];
}

function totalsBelow(store: BudgetParts['store'], rows: readonly SessionRow[], parent: SessionId): Totals {
  return rows
    .filter(({ parentId }) => parentId === parent)
    .reduce(
      (sum, { sessionId }) =>
        addTotals(addTotals(sum, store.totals(sessionId).totals), totalsBelow(store, rows, sessionId)),
      noTotals,
    );
}

function allOf({ store }: BudgetParts, scope: 'day' | 'repository', set: SpendingLimit, since: number): KnownBudget {
  const raises = store.raisesSince(since).filter((raise) => raise.scope === scope);
  const by = raises.reduce<SpendingLimit>((sum, raise) => plusLimit(sum, raise.by), {});
  return knownBudget(scope, scope, set, by, store.totalsSince(since));
}

function knownBudget(
  key: string,
  scope: BudgetScope,
  set: SpendingLimit,
  by: SpendingLimit,
  totals: Totals,
): KnownBudget {
  const { uncached, cacheRead, cacheWrite, output, costPico, estimatedPico = 0, estimatedTokens = 0 } = totals;
  // What was not reported counts by zerd's own estimate: silence is no way around a limit.
  const spent = {
    pico: costPico + estimatedPico,
    tokens: uncached + cacheRead + cacheWrite + output + estimatedTokens,
  };
  return { key, scope, set, limit: raisedLimit(set, by), spent, totals };
}

function hasLimit({ pico, tokens }: SpendingLimit): boolean {
  return pico !== undefined || tokens !== undefined;
}

/** Midnight where the daemon runs, in milliseconds of the epoch. */
function startOfDay(now: number): number {
  return new Date(now).setHours(0, 0, 0, 0);
}
