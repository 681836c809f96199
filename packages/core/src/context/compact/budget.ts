/**
 * Decides how much a summary may take, and how much a prompt of its own may be given at once. In bytes, at few bytes a
 * token: a text that is denser than expected must still fit.
 */

/** Bytes a token at worst in the texts of a session. */
export const denseBytes = 3;
/** What is kept beside the user's own words, where there is room. */
const usualFacts = 16_000;
const mostMessages = 32_000;

/**
 * Bytes for the machine's part: at most half the ceiling, what stays of the conversation and the prose taken off, and
 * never more than what it replaces.
 */
export function factsBytes(room: {
  /** Tokens. */
  readonly ceiling: number;
  /** Tokens of the fixed part, of what stays of the conversation and of the prose. */
  readonly taken: number;
  /** Tokens of what the summary replaces, the prose taken off. */
  readonly replaced: number;
  /** Bytes of the user's messages. */
  readonly messages: number;
}): number {
  const wish = usualFacts + Math.min(2 * room.messages, mostMessages);
  const most = Math.min(room.ceiling / 2 - room.taken, room.replaced) * denseBytes;
  return Math.max(0, Math.floor(Math.min(wish, most)));
}

/** Less than this keeps no session alive. */
export const leastFactsBytes = 1_500;

const bytesAtOnce = 240_000;
const unknownWindow = 32_000;

/** Bytes of a record in one prompt: a part of the window, so that an estimate that is off does no harm. */
export function recordBytes(contextWindow: number | null, maxOutput: number): number {
  const window = contextWindow ?? unknownWindow;
  const tokens = Math.max(1_000, 0.6 * (window - Math.min(maxOutput, window / 4)));
  return Math.floor(Math.min(bytesAtOnce, 2 * tokens));
}
