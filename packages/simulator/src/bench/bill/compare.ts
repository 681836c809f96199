/** Compares the ledger with the gateway's own bill, request for request, and forecasts with what was then charged. */
import type { RecordedRequest } from '../../gateway/record.ts';
import type { BillHouse } from './house.ts';

export interface PaidRequest {
  readonly costPico: number | null;
  readonly usage?: object;
}

export interface ReadCost {
  readonly totals: { readonly costPico: number };
  readonly session: {
    readonly misses: readonly FoundMiss[];
    readonly subagents: { readonly costPico: number };
    readonly notReported: readonly string[];
    readonly requests: readonly PaidRequest[];
  };
}

export interface FoundMiss {
  readonly cause: string;
  readonly blame: string;
  readonly segment?: string;
  readonly diagnosis?: string;
}

/**
 * How many requests, and totals, differ. The sessions are all that the house had; those that ran side by side arrive in
 * any order, so each figure of the bill is looked for in the ledger once.
 */
export async function mismatches(house: BillHouse, sessionIds: readonly string[]): Promise<number> {
  const costs = await Promise.all(sessionIds.map((sessionId) => readCost(house, sessionId)));
  const ledger = costs.flatMap(({ session }) => session.requests.filter(({ usage }) => usage !== undefined));
  const left = ledger.map(({ costPico }) => costPico);
  const billed = house.gateway.requests.flatMap(({ billPico }) => (billPico === null ? [] : [billPico]));
  const wrong = billed.filter((billPico) => !takeOne(left, billPico)).length;
  const sum = costs.reduce((total, { totals }) => total + totals.costPico, 0);
  return wrong + left.length + (sum === house.gateway.bill() ? 0 : 1);
}

function takeOne(figures: (number | null)[], wanted: number): boolean {
  const at = figures.indexOf(wanted);
  if (at !== -1) figures.splice(at, 1);
  return at !== -1;
}

export function readCost(house: BillHouse, sessionId: string): Promise<ReadCost> {
  return house.ask<ReadCost>('cost/read', { sessionId, requests: true });
}

export interface Foreseen {
  /** How far the forecast was from the input of the request, in percent; undefined: another thing came first. */
  readonly offPct: number | undefined;
  readonly sessionId: string;
}

/** Says something in a session, having asked first what it will cost. */
export async function sayForeseen(
  house: BillHouse,
  sessionId: string,
  text: string,
  model?: string,
): Promise<Foreseen> {
  type Forecast = { readonly plan: string; readonly costPico: number };
  const seen = await house.ask<Forecast>('cost/forecast', {
    sessionId,
    text,
    ...(model === undefined ? {} : { model: `sim/${model}` }),
  });
  const before = house.gateway.requests.length;
  await house.say(text, { sessionId, ...(model === undefined ? {} : { model }) });
  const first = house.gateway.requests[before];
  const comparable = seen.plan !== 'compact' && first !== undefined;
  return { sessionId, offPct: comparable ? 100 * Math.abs(seen.costPico / inputOf(first) - 1) : undefined };
}

/** Without its answer. */
function inputOf({ billPico, output }: RecordedRequest): number {
  return (billPico ?? 0) - output * 5_000_000;
}
