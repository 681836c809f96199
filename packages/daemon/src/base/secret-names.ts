/**
 * Decides by its name whether a variable of an environment holds a provider's key, also of one that is not configured
 * here, or is something of zerd's own. Neither ever reaches a tool.
 */
const keyName = /(^|_)(API_?KEY|AUTH_TOKEN|ACCESS_TOKEN)$/i;
const providerPrefix =
  /^(ANTHROPIC|OPENAI|CLAUDE|GEMINI|DEEPSEEK|MISTRAL|XAI|GROQ|OPENROUTER|MOONSHOT|ZAI|DASHSCOPE)_/i;

export function isSecretName(name: string): boolean {
  return /^ZERD/i.test(name) || (providerPrefix.test(name) && keyName.test(name));
}
