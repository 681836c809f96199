/** Decides how large a prompt may become before it is relieved whatever that costs. */

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
  const { contextWindow, maxOutput, tierEdge = Number.POSITIVE_INFINITY } = model;
  const room = (contextWindow ?? Number.POSITIVE_INFINITY) - Math.min(maxOutput, mostReserved);
  return Math.max(0, Math.min(mostTokens, room, tierShare * tierEdge));
}
