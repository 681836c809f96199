/**
 * Which models see images and how each counts them. Whether one sees is as the catalogue of pi-ai 1.6.0 (2026-11-20) says;
 * each rule has its own source. A model that is not here is not known to see.
 */
import type { ImageRule } from './image-tokens.ts';

/** Null: not known to see images. */
export function imageRuleOf(provider: string, id: string): ImageRule | null {
  const find = Object.hasOwn(providers, provider) ? providers[provider] : undefined;
  return find?.(id) ?? null;
}

/**
 * Anthropic's page on vision (platform.claude.com, 2026-11): patches of 28 pixels, 1,568 of them and pixels along a side;
 * from Opus 4.7 on 4,784 and 2,576. It is also what is counted where a provider names no rule.
 */
export const usualImageRule: ImageRule = { kind: 'patches', side: 28, mostSide: 1_568, mostPatches: 1_568 };
const finer: ImageRule = { kind: 'patches', side: 28, mostSide: 2_576, mostPatches: 4_784 };

const providers: Readonly<Record<string, (id: string) => ImageRule | null>> = {
  anthropic: (id) =>
    /^claude-/.test(id) ? (/^claude-((opus|sonnet|haiku)-4-[0-6]|3)/.test(id) ? usualImageRule : finer) : null,
  openai: ruleOfOpenAi,
  google: (id) => (/^gemini-[2-9]/.test(id) ? ruleOfGemini(id) : null),
  deepseek: (id) => (id === 'deepseek-flash' ? usualImageRule : null),
  moonshot: (id) => (/^kimi-k(2\.[67]|3)/.test(id) ? usualImageRule : null),
  zai: (id) => (id === 'glm-5.3-flash' ? usualImageRule : null),
  xai: (id) => (/^grok-4\.[3-7]$/.test(id) ? usualImageRule : null),
  openrouter: (id) => (/^qwen\/qwen(4-max|3\.8-(max-prime|flash)|3\.7-plus)$/.test(id) ? usualImageRule : null),
};

/** OpenAI's page on images and vision, model by model, with `detail` left to itself (2026-11). */
function ruleOfOpenAi(id: string): ImageRule | null {
  if (/^gpt-(5\.[6-9]|[6-9])/.test(id)) return { kind: 'patches', side: 32 };
  if (/^gpt-5\.5/.test(id)) return openAiPatches(10_000, 6_000);
  if (/^(gpt-(5|5\.4)-mini|gpt-4\.1-mini)/.test(id)) return openAiPatches(1_536, 2_048, 1.62);
  if (/^(gpt-(5|5\.4)-nano|gpt-4\.1-nano)/.test(id)) return openAiPatches(1_536, 2_048, 2.46);
  if (/^o4-mini/.test(id)) return openAiPatches(1_536, 2_048, 1.72);
  if (/^gpt-5\.4/.test(id)) return openAiPatches(2_500, 2_048);
  if (/^gpt-5\.[1-3]|codex/.test(id)) return openAiPatches(1_536, 2_048);
  if (/^gpt-5($|-)/.test(id)) return openAiTiles(70, 140);
  if (/^gpt-4o-mini/.test(id)) return openAiTiles(2_833, 5_667);
  if (/^gpt-4(o|\.1|\.5)/.test(id)) return openAiTiles(85, 170);
  return /^o[13]($|-)/.test(id) ? openAiTiles(75, 150) : null;
}

function openAiPatches(mostPatches: number, mostSide: number, times = 1): ImageRule {
  return { kind: 'patches', side: 32, mostSide, mostPatches, shrinks: 'floored', times };
}

function openAiTiles(base: number, each: number): ImageRule {
  return { kind: 'tiles', side: 512, base, each, mostLong: 2_048, mostShort: 768 };
}

/** Google's pages on image understanding and on media resolution (ai.google.dev, 2026-11). */
function ruleOfGemini(id: string): ImageRule {
  if (/^gemini-2/.test(id)) return { kind: 'tiles', side: 768, base: 0, each: 258, oneUpTo: 384 };
  return { kind: 'flat', tokens: 1_120 };
}
