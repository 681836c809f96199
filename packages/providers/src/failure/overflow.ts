/**
 * Tells from a provider's words whether a request was refused because the conversation exceeds the model's window.
 * Wordings as of 2026-11-20, gathered by pi-ai 1.6.0 (MIT, utils/overflow) and written anew; one row a provider.
 */
const wordings: readonly RegExp[] = [
  /prompt is too long/i, // Anthropic
  /request_too_large/i, // Anthropic, by bytes
  /exceeds the context window/i, // OpenAI Responses
  /maximum context length/i, // OpenAI Chat, vLLM, DeepSeek, OpenRouter
  /context_length_exceeded/i, // OpenAI's code
  /input token count.*exceeds the maximum/i, // Gemini
  /maximum prompt length is/i, // xAI
  /reduce the length of the messages/i, // Groq
  /exceeds the available context size/i, // llama.cpp
  /greater than the context length/i, // LM Studio
  /context window exceeds limit/i, // MiniMax
  /exceeded model token limit/i, // Kimi
  /range of input length should be/i, // Qwen
];

/** z.ai answers overflow with this code alone. */
const overflowCodes = new Set(['context_length_exceeded', 'request_too_large', '1261']);

/** Limits on the rate speak of tokens too and are no overflow. */
const rateLimit = /rate limit|too many requests/i;

export function isOverflow(refusal: {
  readonly status?: number | undefined;
  readonly codes: readonly string[];
  readonly message: string;
}): boolean {
  if (rateLimit.test(refusal.message) || refusal.status === 429) return false;
  if (refusal.status === 413 || refusal.codes.some((code) => overflowCodes.has(code))) return true;
  return wordings.some((wording) => wording.test(refusal.message));
}
