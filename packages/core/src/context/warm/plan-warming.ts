/**
 * Decides whether a request that only keeps the provider's cache alive is worth its price, and when: a refresh reads the
 * prompt once (r), a miss writes it anew (w), so it pays when the chance that the session goes on before the next expiry
 * exceeds r / (w - r). Invariants: at most three in one idle time, none when the prompt is cold or has no price (I11).
 */
import type { Price } from '../../accounting/price.ts';
import { chanceOfReturn, type Wait } from './chance-of-return.ts';

export interface Warmth {
  /** Tokens that the provider is expected to hold; 0: cold. */
  readonly held: number;
  readonly price: Price | null;
  /** How long the provider keeps what is not used. */
  readonly cacheMs: number;
  /** Since the provider last used it. */
  readonly unusedMs: number;
  /** Requests that kept it warm in this idle time. */
  readonly sent: number;
  readonly wait: Wait;
}

export type WarmPlan =
  | {
      readonly kind: 'warm';
      readonly afterMs: number;
      /** Of the refresh, and what it saves if the session goes on in time; pico-dollars. */
      readonly costPico: number;
      readonly savesPico: number;
      readonly chance: number;
    }
  | { readonly kind: 'stop'; readonly reason: string };

const mostSent = 3;
/** Late enough to be rare, early enough to arrive in time (PI 1.6.0, 2026-11). */
const refreshAt = 0.9;
const longestIdleMs = 30 * 60_000;
/** $0.05: less is not worth a request (PI 1.6.0, 2026-11). */
const leastSavingPico = 50_000_000_000;

export function planWarming(warmth: Warmth): WarmPlan {
  const { held, cacheMs, unusedMs, sent, wait } = warmth;
  const price = tierOf(warmth.price, held);
  if (sent >= mostSent) return stop(`${mostSent} requests have kept it warm`);
  if (held === 0) return stop('nothing is held, or it is cold');
  if (price === null) return stop('unpriced: nobody knows whether it pays');
  if (wait.for === 'user' && wait.idleMs >= longestIdleMs) return stop('the user has been away for too long');
  const afterMs = Math.max(0, refreshAt * cacheMs - unusedMs);
  const chance = chanceOfReturn(wait, { from: cacheMs - unusedMs, sent: afterMs, until: afterMs + cacheMs });
  const costPico = held * price.cacheRead;
  const savesPico = held * (price.cacheWrite - price.cacheRead);
  if (chance * savesPico - costPico < leastSavingPico) return stop('it would not pay');
  return { kind: 'warm', afterMs, costPico, savesPico, chance };
}

function stop(reason: string): WarmPlan {
  return { kind: 'stop', reason };
}

function tierOf(price: Price | null, tokens: number): Price | null {
  return price?.above !== undefined && tokens > price.above.tokens ? price.above.price : price;
}
