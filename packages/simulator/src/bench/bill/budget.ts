/**
 * Eight sub-agents that would never end, under a tight budget: how far the gateway's own bill passes it. What may pass is
 * the output of one request, by the length that it was allowed.
 */
import type { Step } from '../../players/player.ts';
import type { Wire } from '../../wire.ts';
import { openBillHouse } from './house.ts';

export interface BudgetRun {
  readonly name: string;
  /** What was spent beyond the budget; 0: nothing. */
  readonly overrunUsd: number;
  /** What the longest answer that was asked for would have cost. */
  readonly oneOutputUsd: number;
  readonly requests: number;
  /** The budget was reached at all. */
  readonly tight: boolean;
}

const crew = 8;
const longestAnswer = 1_000;
/** Dollars a token, as the house prices them. */
const outputUsd = 5e-6;

const tasks = Array.from({ length: crew }, (_, i) => ({
  name: 'task',
  input: { prompt: `Part ${i + 1}: read a.ts, again and again.`, title: `part ${i + 1}` },
}));
const read: Step = { calls: [{ name: 'read', input: { path: 'a.ts' } }] };

export async function billBudget(wire: Wire, scope: 'day' | 'session', usd: number): Promise<BudgetRun> {
  const house = await openBillHouse({
    name: `budget-${scope}-${wire}`,
    wire,
    files: new Map([['a.ts', 'export const a = 1;\n']]),
    models: { sim: { said: { maxOutput: longestAnswer } } },
    budgets: { [scope]: { usd } },
    player(view) {
      const parts = view.messages[0]?.parts ?? [];
      const first = parts.map((part) => (part.kind === 'text' ? part.text : '')).join('\n');
      if (/Part \d/.test(first)) return { ...read, text: 'Once more. '.repeat(40) };
      return view.messages.length > 1 ? { text: 'All said.' } : { calls: tasks };
    },
  });
  try {
    await house.say('Have the parts looked at, all at once.');
    type Rows = { readonly sessions: readonly { readonly requests: number; readonly sessionId: string }[] };
    const { sessions } = await house.ask<Rows>('session/list', {});
    const spent = house.gateway.bill() / 1e12;
    const requests = house.gateway.requests.length;
    return {
      name: `8 sub-agents under a budget of the ${scope} over ${wire}`,
      overrunUsd: Math.max(0, spent - usd),
      oneOutputUsd: longestAnswer * outputUsd,
      requests,
      tight: sessions.length === crew + 1 && requests > 2 * crew,
    };
  } finally {
    await house.close();
  }
}
