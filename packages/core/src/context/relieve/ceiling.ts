/**
 * Decides how large a prompt may become before it is relieved whatever that costs, and how long an answer may be asked for
 * behind it. Invariant: a prompt at the ceiling and the longest answer together fit the window, and half of the window or
 * more is the prompt's: servers count what is asked for, not what comes.
 */

/** Quality falls and latency grows with the prompt, whatever the window. */
const mostTokens = 180_000;
/** An answer longer than this is rare: room beyond it would stand empty. */
const mostReserved = 20_000;
/** Below a price tier's edge, because sizes are estimates. */
const tierShare = 0.95;

export function ceilingOf(model: {
  readonly contextWindow: number | null;
  readonly maxOutput: number;
  /** The prompt above which every token of a request costs more. */
  readonly tierEdge?: number | undefined;
}): number {
  const { contextWindow, tierEdge = Number.POSITIVE_INFINITY } = model;
  const maxOutput = outputWithin(contextWindow, model.maxOutput);
  const room = (contextWindow ?? Number.POSITIVE_INFINITY) - Math.min(maxOutput, mostReserved);
  return Math.max(0, Math.min(mostTokens, room, tierShare * tierEdge));
}

/** What a request may ask for of the `maxOutput` that a model can give. The same for a whole session: no size decides. */
export function outputWithin(contextWindow: number | null, maxOutput: number): number {
  if (contextWindow === null) return maxOutput;
  const behindPrompt = Math.max(mostReserved, contextWindow - mostTokens);
  return Math.max(1, Math.min(maxOutput, behindPrompt, Math.floor(contextWindow / 2)));
}
