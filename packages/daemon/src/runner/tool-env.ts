/**
 * Decides what of the client's environment a tool may see. Invariant: no provider key, no secret of zerd and no control
 * path of it reaches a tool, whatever a configuration names.
 */
import type { ClientEnv } from './runner.ts';

/** Names that hold keys of providers, also of those that are not configured here. */
const keyName = /(^|_)(API_?KEY|AUTH_TOKEN|ACCESS_TOKEN)$/i;
const providerPrefix =
  /^(ANTHROPIC|OPENAI|CLAUDE|GEMINI|DEEPSEEK|MISTRAL|XAI|GROQ|OPENROUTER|MOONSHOT|ZAI|DASHSCOPE)_/i;

export function toolEnv(env: ClientEnv, keyNames: readonly string[]): Readonly<Record<string, string>> {
  const named = new Set(keyNames);
  const kept = Object.entries(env).filter(([name]) => !named.has(name) && !hidden(name));
  return Object.freeze(Object.fromEntries(kept));
}

function hidden(name: string): boolean {
  return name.startsWith('ZERD') || name === 'NODE_OPTIONS' || (providerPrefix.test(name) && keyName.test(name));
}
