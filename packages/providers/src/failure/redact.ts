/** Takes secrets out of a message: providers like to quote the key they refuse. Done before any cut, so no part stays. */
const shortestSecret = 8;
const longestMessage = 600;

/** Values below eight characters ('none', 'ollama') are no secrets and would only garble messages. */
export function redact(message: string, secrets: readonly string[]): string {
  const clean = secrets
    .filter((secret) => secret.length >= shortestSecret)
    .reduce((text, secret) => text.replaceAll(secret, '[key]'), message);
  return clean.length > longestMessage ? `${clean.slice(0, longestMessage)}…` : clean;
}
