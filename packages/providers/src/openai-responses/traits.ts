/** In what endpoints of the responses wire differ, read from address and model alone, so that it never changes in a session. */
import type { Endpoint } from '../provider.ts';

export interface ResponsesTraits {
  /** ChatGPT's own backend: it refuses `max_output_tokens` and wants some parameters spelled out. */
  readonly codex: boolean;
  /** A ChatGPT plan pays: it refuses `max_output_tokens` and `prompt_cache_options` (2026-11). */
  readonly plan: boolean;
  readonly sendsCacheKey: boolean;
  /** Older models refuse `prompt_cache_breakpoint` as unknown; ChatGPT's backend and plans are not known to take it. */
  readonly explicitBreakpoint: boolean;
  /** The model reasons: its reasoning is asked for in the form that can go back. Others refuse the request for it. */
  readonly reasons: boolean;
  /** Asks for summaries of the reasoning: without them a long thought is silence. Only OpenAI itself is known to take it. */
  readonly summarises: boolean;
  /** An output of a call may hold images (OpenAI's reference, 2026-11); other servers are not known to take them there. */
  readonly imageOutputs: boolean;
  /** Asks why less was read from the cache than after the answer before (2026-11). */
  readonly diagnoses: boolean;
}

export function responsesTraits(endpoint: Endpoint, modelId: string): ResponsesTraits {
  const codex = endpoint.codex === true;
  const plan = endpoint.plan === true;
  const openai = codex || hostOf(endpoint.baseUrl) === 'api.openai.com';
  const reasons = !withoutReasoning.test(modelId);
  return {
    codex,
    plan,
    sendsCacheKey: codex || plan || (endpoint.promptCacheKey ?? true),
    explicitBreakpoint: !codex && !plan && isAtLeast56(modelId),
    reasons,
    summarises: reasons && openai,
    imageOutputs: openai || plan,
    diagnoses: !codex && !plan && endpoint.diagnosis === 'openai',
  };
}

/** OpenAI's models that do not reason (catalogue of pi-ai 1.6.0, 2026-11-20). */
const withoutReasoning = /^(gpt-3|gpt-4|chatgpt-|gpt-5-chat)/;

/** Explicit breakpoints came with GPT-5.6 (openai 7.59.0 types and catalogue of pi-ai 1.6.0, 2026-11-20). */
function isAtLeast56(modelId: string): boolean {
  const [, major = '0', minor = '0'] = /^gpt-(\d+)(?:\.(\d+))?(?:-|$)/.exec(modelId) ?? [];
  return Number(major) > 5 || (Number(major) === 5 && Number(minor) >= 6);
}

function hostOf(baseUrl: string | undefined): string {
  if (baseUrl === undefined) return 'api.openai.com';
  return URL.canParse(baseUrl) ? new URL(baseUrl).hostname : '';
}
