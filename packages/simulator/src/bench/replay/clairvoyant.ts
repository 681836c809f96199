/**
 * The least that trimming can cost a session when its whole future is known: an exact dynamic programme over the one
 * action "clear every result older than the window". Its state is the request before which the newest trim was.
 */
import { defaultWindow } from '@zerd/core/context/relieve/view';
import { lifetime, prefixStep, type ReplayPrice } from './prices.ts';
import type { RecordedSession } from './shapes.ts';
import { fixedTokens, stubTokens } from './world.ts';

export type MayTrim = (at: number, prompt: number) => boolean;

export function leastCost(session: RecordedSession, price: ReplayPrice, mayTrim: MayTrim): number {
  const costs = costsOf(session, price);
  // The least cost so far, by the newest trim; 0: none yet, as nothing is old before the first request.
  let least = new Map<number, number>([[0, 0]]);
  for (let at = 0; at < session.length; at++) {
    const next = new Map<number, number>();
    let trimmed = Number.POSITIVE_INFINITY;
    for (const [last, cost] of least) {
      next.set(last, cost + costs.kept(last, at));
      if (mayTrim(at, costs.prompt(last, at))) trimmed = Math.min(trimmed, cost + costs.trimmed(last, at));
    }
    if (trimmed < Number.POSITIVE_INFINITY) next.set(at, trimmed);
    least = next;
  }
  return Math.min(...least.values());
}

/** What the requests cost when it was trimmed right before these ones, and never else. */
export function costOfTrims(session: RecordedSession, price: ReplayPrice, trims: readonly number[]): number {
  const costs = costsOf(session, price);
  let last = 0;
  return session.reduce((sum, _, at) => {
    if (!trims.includes(at)) return sum + costs.kept(last, at);
    const cost = costs.trimmed(last, at);
    last = at;
    return sum + cost;
  }, 0);
}

interface Costs {
  /** Tokens of request `at` when the newest trim was before request `last`. */
  prompt(last: number, at: number): number;
  kept(last: number, at: number): number;
  /** With another trim right before it. */
  trimmed(last: number, at: number): number;
}

function costsOf(session: RecordedSession, { read, write, cache }: ReplayPrice): Costs {
  const { tails, gains, firsts } = sizesOf(session);
  const cutAt = (last: number) => gains[Math.max(0, last - defaultWindow)] ?? 0;
  const prompt = (last: number, at: number) => (tails[at] ?? 0) - cutAt(last);
  const time = (at: number) => session[at]?.at ?? Number.NEGATIVE_INFINITY;
  const warm = (at: number) => cache !== 'none' && at > 0 && time(at) - time(at - 1) <= lifetime;
  const stepped = (tokens: number) => (cache === 'prefix' ? tokens - (tokens % prefixStep) : tokens);
  const cost = (covered: number, whole: number) => read * covered + write * (whole - covered);

  /** Tokens up to the last living entry in front of the first result that a trim before `at` cuts. */
  function surviving(last: number, at: number): number {
    const oldest = Math.max(0, last - defaultWindow);
    const first = firsts[oldest];
    if (first === undefined || first.request >= at - defaultWindow) return prompt(last, at - 1);
    if (cache === 'prefix') return first.place - cutAt(last);
    const tailLives = first.request >= last && time(at) - time(first.request + 1) <= lifetime;
    if (tailLives) return prompt(last, first.request);
    return oldest > 0 ? prompt(last, oldest) : fixedTokens;
  }

  return {
    prompt,
    kept: (last, at) => cost(warm(at) ? stepped(prompt(last, at - 1)) : 0, prompt(last, at)),
    trimmed: (last, at) => cost(warm(at) ? stepped(surviving(last, at)) : 0, prompt(at, at)),
  };
}

interface FirstCut {
  readonly request: number;
  /** Tokens in front of it when nothing is cut. */
  readonly place: number;
}

interface Sizes {
  /** Tokens of each prompt when nothing is cut. */
  readonly tails: readonly number[];
  /** What trimming all requests before this one takes away. */
  readonly gains: readonly number[];
  /** The first result that can be cut from this request on. */
  readonly firsts: readonly (FirstCut | undefined)[];
}

function sizesOf(session: RecordedSession): Sizes {
  const tails: number[] = [];
  const gains: number[] = [0];
  const own: (FirstCut | undefined)[] = [];
  let at = fixedTokens;
  for (const [request, { before, calls }] of session.entries()) {
    at += before;
    tails.push(at);
    at += calls.reduce((sum, call) => sum + call.input, 0);
    let first: FirstCut | undefined;
    let gain = gains.at(-1) ?? 0;
    for (const { result } of calls) {
      if (result > stubTokens) first ??= { request, place: at };
      gain += Math.max(0, result - stubTokens);
      at += result;
    }
    own.push(first);
    gains.push(gain);
  }
  const firsts = [...own];
  for (let i = firsts.length - 2; i >= 0; i--) firsts[i] ??= firsts[i + 1];
  return { tails, gains, firsts };
}
