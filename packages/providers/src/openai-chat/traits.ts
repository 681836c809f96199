/** In what endpoints of the chat wire differ, read from address and model alone, so that it never changes in a session. */
import type { JsonObject } from '@zerd/protocol/common/json';
import type { Endpoint } from '../provider.ts';

export interface ChatTraits {
  /** The parameter that limits the answer: OpenAI's newer models refuse `max_tokens`, other servers know no other. */
  readonly maxTokensField: 'max_completion_tokens' | 'max_tokens';
  /** Mistral and Groq refuse fields they do not know: only OpenAI's own API and endpoints whose configuration asks get it. */
  readonly sendsCacheKey: boolean;
  /** DeepSeek and Kimi refuse an answer without `reasoning_content`, empty where there was none (2026-11). */
  readonly reasoningAlways: boolean;
  /** Gemini 3 and later refuse calls without a signature, also those that another model made (2026-11). */
  readonly signedCalls: boolean;
  /** Parameters that make the server keep earlier reasoning: what it leaves out changes the prefix with every turn. */
  readonly keepsReasoning: JsonObject;
  /** Calls that arrive as text are read as calls. OpenAI's own API never sends any. */
  readonly leakedCalls: boolean;
}

export function chatTraits(endpoint: Endpoint, modelId: string): ChatTraits {
  const host = hostOf(endpoint.baseUrl);
  const openai = host === 'api.openai.com';
  return {
    maxTokensField: openai ? 'max_completion_tokens' : 'max_tokens',
    sendsCacheKey: endpoint.promptCacheKey ?? openai,
    reasoningAlways: host === 'api.deepseek.com' || host === 'api.kimi.com' || wantsReasoning.test(modelId),
    signedCalls: /(^|\.)googleapis\.com$/.test(host) && /gemini-([3-9]|\d\d)/.test(modelId),
    keepsReasoning: keepsReasoning(host, modelId),
    leakedCalls: endpoint.leakedCalls ?? !openai,
  };
}

const wantsReasoning = /^((deepseek\/)?deepseek-|(moonshotai\/)?kimi-)/;

/** GLM's own API, and the chat templates of Qwen 3.5 and later and of Kimi K3 behind llama.cpp or vLLM (2026-11). */
function keepsReasoning(host: string, modelId: string): JsonObject {
  if (host === 'api.z.ai' || host === 'open.bigmodel.cn')
    return { thinking: { type: 'enabled', clear_thinking: false } };
  const local = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(host);
  const templated = /qwen-?(3\.[5-9]|[4-9])|kimi-k3/i.test(modelId);
  return local && templated ? { chat_template_kwargs: { preserve_thinking: true } } : {};
}

function hostOf(baseUrl: string | undefined): string {
  if (baseUrl === undefined) return 'api.openai.com';
  return URL.canParse(baseUrl) ? new URL(baseUrl).hostname : '';
}
