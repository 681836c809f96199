/** Measures the planner over recorded sessions, at each price: open loop against foreknowledge, closed loop against doing nothing. */
import { leastCost } from './clairvoyant.ts';
import { playSession } from './play-session.ts';
import { type ReplayPrice, replayPrices } from './prices.ts';
import type { RecordedSession } from './shapes.ts';

export interface PriceFigures {
  /** Cost over the least possible by the same action: mean, 95th percentile and worst of the sessions. */
  readonly vsClairvoyant: number;
  readonly p95: number;
  readonly worst: number;
  /** Total cost over that of never relieving. */
  readonly closedLoopVsAppendOnly: number;
  /** A session. */
  readonly rereads: number;
  readonly compactions: number;
}

const ceiling = 180_000;
const none = Number.POSITIVE_INFINITY;

export function measureReplay(sessions: readonly RecordedSession[]): Readonly<Record<string, PriceFigures>> {
  return Object.fromEntries(replayPrices.map((price) => [price.name, measurePrice(sessions, price)]));
}

function measurePrice(sessions: readonly RecordedSession[], price: ReplayPrice): PriceFigures {
  const ratios = sessions.map((session) => openLoop(session, price)).sort((a, b) => a - b);
  const closed = sessions.map((session) => playSession(session, price, { kind: 'closed', ceiling }));
  const untouched = sessions.map((session) => playSession(session, price, { kind: 'append-only', ceiling: none }).cost);
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  return {
    vsClairvoyant: rounded(mean(ratios)),
    p95: rounded(ratios[Math.ceil(0.95 * ratios.length) - 1] ?? Number.NaN),
    worst: rounded(ratios.at(-1) ?? Number.NaN),
    closedLoopVsAppendOnly: rounded(mean(closed.map(({ cost }) => cost)) / mean(untouched)),
    rereads: rounded(mean(closed.map(({ rereads }) => rereads))),
    compactions: rounded(mean(closed.map(({ compactions }) => compactions))),
  };
}

/** A bound model may be trimmed where a turn begins or at the ceiling, and so may the one who knows the future. */
function openLoop(session: RecordedSession, price: ReplayPrice): number {
  const limit = price.bound ? ceiling : none;
  const mayTrim = (at: number, prompt: number) =>
    !price.bound || session[at]?.turn !== session[at - 1]?.turn || prompt > limit;
  return playSession(session, price, { kind: 'open', ceiling: limit }).cost / leastCost(session, price, mayTrim);
}

function rounded(value: number): number {
  return Number(value.toFixed(3));
}
