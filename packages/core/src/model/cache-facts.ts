/**
 * What price lists do not say of a model: how its provider caches, explains a miss and takes effort. Each set carries its
 * date and source; what was not found is null or the least that every provider keeps.
 */

export interface CacheFacts {
  /** Tokens below which nothing is cached; null: not known. */
  readonly minPrefix: number | null;
  /** An edit of earlier messages makes the reasoning behind it void or the request invalid. */
  readonly bindsReasoning: boolean;
  /** Milliseconds that an entry of the cache lives without use, at least. */
  readonly cacheMs: number;
  /** How the provider is asked why it read less than expected; null: it does not say. */
  readonly diagnosis: DiagnosisKind | null;
  /** `append`: effort may change in a message of its own; `fixed`: a change of it loses the cached prefix. */
  readonly effort: 'append' | 'fixed' | 'none';
  /** False: it says nothing of its cache, so that nothing can be concluded from zeros. Null: its reports tell. */
  readonly reportsCache: boolean | null;
}

export type DiagnosisKind = 'anthropic' | 'openai';

const minute = 60_000;

export function cacheFactsOf(provider: string, id: string): CacheFacts {
  const find = Object.hasOwn(providers, provider) ? providers[provider] : undefined;
  return find?.(id) ?? usualCacheFacts;
}

/** What every provider keeps at least, where nothing else was found (2026-11-29). */
export const usualCacheFacts: CacheFacts = {
  minPrefix: null,
  bindsReasoning: false,
  cacheMs: 5 * minute,
  diagnosis: null,
  effort: 'fixed',
  reportsCache: null,
};

const providers: Readonly<Record<string, (id: string) => CacheFacts>> = {
  anthropic: (id) => ({
    minPrefix: anthropicMinimum(id),
    bindsReasoning: /^claude-(fable-5-[12]|mythos-5-[12]|(opus|sonnet|haiku)-5-5)/.test(id),
    cacheMs: 5 * minute,
    diagnosis: 'anthropic',
    effort: effortOfClaude(id),
    reportsCache: true,
  }),
  openai: (id) => ({
    ...usualCacheFacts,
    minPrefix: 1024,
    bindsReasoning: /^gpt-6\.2/.test(id),
    cacheMs: (isAtLeast56(id) ? 30 : 5) * minute,
    diagnosis: isAtLeast56(id) ? 'openai' : null,
    effort: /^gpt-6/.test(id) ? 'append' : 'fixed',
    reportsCache: true,
  }),
  // Implicit caching from 2.5 on; best effort, for minutes (2026-11).
  google: (id) => ({ ...usualCacheFacts, minPrefix: /^gemini-2/.test(id) ? 2048 : 4096 }),
  // On disk, for hours to days (2026-11).
  deepseek: () => ({ ...usualCacheFacts, cacheMs: 60 * minute, reportsCache: true }),
  // Implicit caching of Model Studio (2026-11).
  qwen: () => ({ ...usualCacheFacts, minPrefix: 256 }),
  // Sticky routing to whoever cached ends after ten minutes (2026-11).
  openrouter: () => ({ ...usualCacheFacts, cacheMs: 5 * minute }),
};

/** dev.to/creeta 2026 and docs.litellm.ai 2026-10-07 agree; the 5.5 family and Fable 5.1 and later: not found. */
function anthropicMinimum(id: string): number | null {
  if (/^claude-(opus-5|fable-5|mythos-5)$/.test(id)) return 512;
  if (/^claude-(opus-4-8|sonnet-5|sonnet-4-[56])$/.test(id)) return 1024;
  if (id === 'claude-opus-4-7') return 2048;
  return /^claude-(opus-4-[56]|haiku-4-5)$/.test(id) ? 4096 : null;
}

/** Catalogue of pi-ai 1.6.0, 2026-11-20: models that take effort in the middle of a conversation. */
function effortOfClaude(id: string): CacheFacts['effort'] {
  if (/^claude-(fable-5-[12]|opus-5|opus-5-5|sonnet-5-5|haiku-5-5)$/.test(id)) return 'append';
  return /^claude-(sonnet-4-5|haiku-4-5)$/.test(id) ? 'none' : 'fixed';
}

/** Explicit breakpoints, writes that cost and diagnoses came with GPT-5.6 (openai 7.59.0 types, 2026-11). */
function isAtLeast56(id: string): boolean {
  const [, major = '0', minor = '0'] = /^gpt-(\d+)(?:\.(\d+))?(?:-|$)/.exec(id) ?? [];
  return Number(major) > 5 || (Number(major) === 5 && Number(minor) >= 6);
}
