/**
 * Does: asks the user, through every client, whether a budget that is reached may be raised by as much again. Of those that
 * spend of the same budget one asks and the others take its answer: a raise is in the log for all, and a no holds for every
 * turn that had begun by then.
 */
import type { Worst } from '@zerd/core/accounting/budget';
import { decisionOf } from '@zerd/core/session/own-questions';
import type { SpendingLimit } from '@zerd/protocol/common/cost-events';
import { askUser } from '../questions/ask-user.ts';
import type { TurnContext } from '../turn-context.ts';
import type { Entered } from './desk.ts';
import { room, settleWhenRoom } from './settle-with-room.ts';
import { raiseQuestion } from './wording.ts';

type Reached = Extract<Entered, { kind: 'reached' }>;

export const raise = 'Raise it by as much';
export const stop = 'Stop';

/** True: it was raised, or is not reached any more. Rejects with the signal's reason when interrupted. */
export async function askToRaise(turn: TurnContext, worst: Worst): Promise<boolean> {
  const { budgets: desk, sessionId } = turn;
  if (turn.state().turn?.headless === true) return false;
  const first = desk.enter(sessionId, worst);
  if (first.kind !== 'reached') return left(first);
  return await desk.asking.run(first.budget.key, async () => {
    turn.signal.throwIfAborted();
    const now = desk.enter(sessionId, worst);
    if (now.kind !== 'reached') return left(now);
    // Another one: it is asked about when its turn comes.
    if (now.budget.key !== first.budget.key) return true;
    const refusedAt = desk.refusedAt(now.budget);
    if (refusedAt !== undefined && turn.begunAt <= refusedAt) return false;
    return await ask(turn, now, worst);
  });
}

/** There is room: it is taken anew by whoever asked. */
function left(entered: Entered): true {
  if (entered.kind === 'in') entered.ticket[Symbol.dispose]();
  return true;
}

async function ask(turn: TurnContext, reached: Reached, worst: Worst): Promise<boolean> {
  const { budget, measure } = reached;
  const text = raiseQuestion(reached, worst);
  const answer = await answered(turn, reached, worst, text);
  if (answer === room) return true;
  if (decisionOf('budget', answer) !== 'yes') {
    turn.budgets.refuse(budget);
    return false;
  }
  const by: SpendingLimit = { [measure]: budget.set[measure] ?? 0 };
  await turn.raiseBudget({ kind: 'budget.raised', scope: budget.scope, by });
  return true;
}

async function answered(turn: TurnContext, { budget }: Reached, worst: Worst, text: string): Promise<string> {
  const over = new AbortController();
  const asks = turn.budgets.asks(budget);
  const looking = settleWhenRoom(turn, worst, AbortSignal.any([turn.signal, over.signal]));
  try {
    return (await askUser(turn, { about: 'budget', text, options: [raise, stop] })).answer ?? stop;
  } finally {
    asks[Symbol.dispose]();
    over.abort();
    await looking;
  }
}
