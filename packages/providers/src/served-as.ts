/**
 * Says as what a provider served a request, where that has a price of its own; a project or a workspace can have another
 * than the usual as its default. Words that are not known are taken for the usual (OpenAI's and Anthropic's types, 2026-11).
 */
const priced: ReadonlySet<string> = new Set(['priority', 'flex', 'batch', 'scale', 'fast']);

export function servedAs(...words: readonly (string | undefined)[]): { readonly tier?: string } {
  const tier = words.find((word) => word !== undefined && priced.has(word));
  return tier === undefined ? {} : { tier };
}
