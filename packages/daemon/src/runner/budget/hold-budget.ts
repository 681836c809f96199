/**
 * Does: before a request is sent, sets aside what it may come to under every budget of its session, waits in sight while
 * others may still come to less, and asks the user when a budget is reached. Where nobody can answer, or the answer is no,
 * the turn ends there. Invariant: nothing is sent that the budgets did not take.
 */
import type { Worst } from '@zerd/core/accounting/budget';
import { type Measured, type Sending, worstCost } from '@zerd/core/accounting/worst-cost';
import { imageTokensAfter } from '@zerd/core/session/images';
import type { Failure, LoggedEvent } from '@zerd/protocol/common/event';
import type { JsonObject } from '@zerd/protocol/common/json';
import type { TurnContext } from '../turn-context.ts';
import { askToRaise } from './ask-to-raise.ts';
import type { KnownBudget } from './budgets-of.ts';
import { settleWithRoom } from './settle-with-room.ts';
import { limitReached, unpricedText } from './wording.ts';

export type Held =
  /** Disposed when what came of the request is in the log. */
  | { readonly kind: 'held'; readonly ticket: Disposable }
  /** The user was asked and allowed more: time has passed, and the request has to be made anew. */
  | { readonly kind: 'raised' }
  | { readonly kind: 'refused'; readonly failure: Failure };

/** `asks` false: a budget that is reached refuses at once. Rejects with the signal's reason when interrupted. */
export async function holdBudget(turn: TurnContext, body: JsonObject, asks: boolean): Promise<Held> {
  const { budgets: desk, sessionId } = turn;
  const known = desk.budgets(sessionId);
  if (known.length === 0) return { kind: 'held', ticket: nothing };
  const worst = worstOf(turn, body);
  await warnUnpriced(turn, known, worst);
  for (;;) {
    const entered = desk.enter(sessionId, worst);
    if (entered.kind === 'in') return await held(turn, entered.ticket);
    if (entered.kind === 'wait') await waitForRoom(turn, entered.scope);
    else if (asks && (await askToRaise(turn, worst))) return { kind: 'raised' };
    else return { kind: 'refused', failure: limitReached(entered, worst) };
  }
}

/** What an earlier daemon asked is settled by the room that there is. */
async function held(turn: TurnContext, ticket: Disposable): Promise<Held> {
  try {
    await settleWithRoom(turn);
    return { kind: 'held', ticket };
  } catch (error) {
    ticket[Symbol.dispose]();
    throw error;
  }
}

/** Without waiting or asking; undefined: there is no room now. */
export function holdAtOnce(turn: TurnContext, body: JsonObject): Disposable | undefined {
  const entered = turn.budgets.enter(turn.sessionId, worstOf(turn, body));
  return entered.kind === 'in' ? entered.ticket : undefined;
}

const nothing: Disposable = { [Symbol.dispose]: () => undefined };

function worstOf(turn: TurnContext, body: JsonObject): Worst {
  const { model, settings, provider } = turn;
  const newest = newestMeasured(turn.newestEvents(), model.ref);
  const images = { all: imageTokensAfter(turn.state(), 0), fresh: imageTokensAfter(turn.state(), newest?.seq ?? 0) };
  const bytes = Buffer.byteLength(JSON.stringify(body));
  const sending: Sending = { bytes, segments: provider.segments(body), images };
  return worstCost(sending, newest?.measured, { maxOutput: settings.maxOutput, price: model.price });
}

/** The newest request of this model whose prompt was reported, and where it was announced; undefined: none of late. */
function newestMeasured(
  events: readonly LoggedEvent[],
  model: string,
): { readonly measured: Measured; readonly seq: number } | undefined {
  for (let at = events.length - 1; at >= 0; at--) {
    const event = events[at]?.event;
    if (event?.kind !== 'assistant.finished' || !event.usage.reported) continue;
    const logged = events.find(
      (other) => other.event.kind === 'request.started' && other.event.requestId === event.requestId,
    );
    const started = logged?.event;
    if (logged === undefined || started?.kind !== 'request.started') continue;
    if (started.model !== model || started.covers !== undefined) continue;
    const { uncached, cacheRead, cacheWrite } = event.usage;
    return { measured: { segments: started.segments, tokens: uncached + cacheRead + cacheWrite }, seq: logged.seq };
  }
  return undefined;
}

async function warnUnpriced(turn: TurnContext, known: readonly KnownBudget[], worst: Worst): Promise<void> {
  const inMoney = known.filter(({ limit }) => limit.pico !== undefined);
  const { model, turnId } = turn;
  if (worst.input.pico !== null || inMoney.length === 0 || turn.state().budget.warned.includes(model.ref)) return;
  await turn.append([{ kind: 'budget.warned', turnId, model: model.ref, text: unpricedText(model.ref, known) }]);
}

/** Each of those that are waited for has deadlines of its own. */
async function waitForRoom({ waits, sessionId, clock, deadlines, budgets, signal }: TurnContext, scope: string) {
  const name = `room in the budget of the ${scope}: other requests may still need it`;
  const shown = waits.begin(name, sessionId, clock.now() + deadlines.totalMs);
  try {
    await budgets.next(signal);
  } finally {
    shown[Symbol.dispose]();
  }
}
