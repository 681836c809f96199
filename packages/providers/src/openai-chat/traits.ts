/** In what endpoints of the chat wire differ, read from address and model alone, so that it never changes in a session. */
import type { Endpoint } from '../provider.ts';

export interface ChatTraits {
  /** The parameter that limits the answer: OpenAI's newer models refuse `max_tokens`, other servers know no other. */
  readonly maxTokensField: 'max_completion_tokens' | 'max_tokens';
  /** Mistral and Groq refuse fields they do not know: only OpenAI's own API and endpoints whose configuration asks get it. */
  readonly sendsCacheKey: boolean;
  /** DeepSeek refuses an answer without `reasoning_content`, empty where there was none (2026-11). */
  readonly reasoningAlways: boolean;
}

export function chatTraits(endpoint: Endpoint, modelId: string): ChatTraits {
  const host = hostOf(endpoint.baseUrl);
  const openai = host === 'api.openai.com';
  return {
    maxTokensField: openai ? 'max_completion_tokens' : 'max_tokens',
    sendsCacheKey: endpoint.promptCacheKey ?? openai,
    reasoningAlways: host === 'api.deepseek.com' || /^(deepseek\/)?deepseek-/.test(modelId),
  };
}

function hostOf(baseUrl: string | undefined): string {
  if (baseUrl === undefined) return 'api.openai.com';
  return URL.canParse(baseUrl) ? new URL(baseUrl).hostname : '';
}
