/**
 * Does: sets aside what requests may come to until they are settled, for all turns of the daemon together, so that those
 * that run at once do not overrun a budget. Invariant: looking and setting aside are one step; who leaves, whatever came
 * of the request, lets those that wait look again.
 */
import {
  type Admission,
  admitRequest,
  type HeldBudget,
  reservationOf,
  type Spent,
  type Worst,
} from '@zerd/core/accounting/budget';
import type { SessionId } from '@zerd/protocol/common/ids';
import { createLocks, type Locks } from '../../base/locks.ts';
import type { Store } from '../../base/ports.ts';
import { type BudgetParts, budgetsOf, type KnownBudget } from './budgets-of.ts';

export interface BudgetDesk {
  /** Those that hold; empty: nothing is limited. */
  budgets(sessionId: SessionId): readonly KnownBudget[];
  enter(sessionId: SessionId, worst: Worst): Entered;
  /** Settles when something has left, or a budget was raised, since; rejects with the signal's reason. */
  next(signal: AbortSignal): Promise<void>;
  /** The user is asked about this budget, until disposed. */
  asks(budget: KnownBudget): Disposable;
  isAsked(budget: KnownBudget): boolean;
  /** One at a time asks the user about the same budget. */
  readonly asking: Locks;
  /** The user would not raise this budget. */
  refuse(budget: KnownBudget): void;
  /** When that was said, in terms of clock.now(); undefined: never, or the limit is another one now. */
  refusedAt(budget: KnownBudget): number | undefined;
}

export type Entered =
  /** Disposed when its answer is in the log. */
  | { readonly kind: 'in'; readonly ticket: Disposable }
  | { readonly kind: 'wait'; readonly scope: KnownBudget['scope'] }
  | { readonly kind: 'reached'; readonly budget: KnownBudget; readonly measure: 'pico' | 'tokens' };

interface Reservation extends Spent {
  readonly keys: readonly string[];
}

export function createBudgetDesk(parts: BudgetParts & { readonly store: Pick<Store, 'onCommit'> }): BudgetDesk {
  const open = new Set<Reservation>();
  const waiting = new Set<() => void>();
  const asked = new Set<string>();
  const refused = new Map<string, { readonly limit: string; readonly at: number }>();

  function wakeAll(): void {
    for (const wake of [...waiting]) wake();
  }
  parts.store.onCommit((_, events) => {
    if (events.some(({ event }) => event.kind === 'budget.raised')) wakeAll();
  });

  function held(known: KnownBudget): HeldBudget & { readonly known: KnownBudget } {
    const reserved = { pico: 0, tokens: 0 };
    for (const { keys, pico, tokens } of open) {
      if (!keys.includes(known.key)) continue;
      reserved.pico += pico;
      reserved.tokens += tokens;
    }
    return { known, scope: known.scope, limit: known.limit, spent: known.spent, reserved };
  }

  function reserve(budgets: readonly KnownBudget[], worst: Worst): Disposable {
    const reservation = { ...reservationOf(worst), keys: budgets.map(({ key }) => key) };
    open.add(reservation);
    return {
      [Symbol.dispose]() {
        open.delete(reservation);
        wakeAll();
      },
    };
  }

  /** A session at the top spends nothing of what its sub-agents may. */
  function budgets(sessionId: SessionId): readonly KnownBudget[] {
    const isTop = parts.book.state(sessionId).created.parent === undefined;
    return budgetsOf(parts, sessionId).filter(({ scope }) => !isTop || scope !== 'subagents');
  }

  return {
    budgets,
    enter(sessionId, worst) {
      const known = budgets(sessionId);
      const rooms = known.map(held);
      const admission: Admission = admitRequest(rooms, worst);
      if (admission.kind === 'go') return { kind: 'in', ticket: reserve(known, worst) };
      if (admission.kind === 'wait') return admission;
      const at = rooms.indexOf(admission.budget as (typeof rooms)[number]);
      const budget = known[at];
      if (budget === undefined) throw new Error('a budget that was never asked about is reached');
      return { kind: 'reached', budget, measure: admission.measure };
    },
    next(signal) {
      return new Promise((resolve, reject) => {
        const leave = () => {
          waiting.delete(wake);
          signal.removeEventListener('abort', stop);
        };
        const wake = () => {
          leave();
          resolve();
        };
        const stop = () => {
          leave();
          reject(signal.reason);
        };
        if (signal.aborted) return stop();
        waiting.add(wake);
        signal.addEventListener('abort', stop, { once: true });
      });
    },
    asks(budget) {
      asked.add(budget.key);
      return { [Symbol.dispose]: () => void asked.delete(budget.key) };
    },
    isAsked: (budget) => asked.has(budget.key),
    asking: createLocks(),
    refuse: (budget) => void refused.set(budget.key, { limit: JSON.stringify(budget.limit), at: parts.clock.now() }),
    refusedAt(budget) {
      const said = refused.get(budget.key);
      return said?.limit === JSON.stringify(budget.limit) ? said.at : undefined;
    },
  };
}
