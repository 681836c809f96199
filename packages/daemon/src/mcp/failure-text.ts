/**
 * Words why a server could not be reached or used. Invariant (S-64): nothing that was filled in, and no value of `env` or of
 * a header, is in it; it is short and hides nothing.
 */
import { withoutHidden } from '@zerd/protocol/common/sanitise';
import { concealSecrets } from '../base/conceal-secrets.ts';

const mostCharacters = 2_000;

export function plainWords(text: string, secrets: readonly string[]): string {
  const plain = withoutHidden(concealSecrets(text, secrets)).trim();
  return plain.length <= mostCharacters ? plain : `${plain.slice(0, mostCharacters)}…`;
}

/** The status of HTTP that a failure carries; the protocol's own codes are negative. */
export function statusOf(error: unknown): number | undefined {
  const code = codeOf(error);
  return typeof code === 'number' && code >= 100 && code < 600 ? code : undefined;
}

/** What the system says of a connection that was not made or broke. */
export function systemCodeOf(error: unknown): string | undefined {
  const code = codeOf(error);
  if (typeof code === 'string') return code;
  const cause = typeof error === 'object' && error !== null && 'cause' in error ? error.cause : undefined;
  return cause === undefined ? undefined : systemCodeOf(cause);
}

export function whyOf(error: unknown): string {
  const status = statusOf(error);
  if (status === 401 || status === 403)
    return `the server asks for a sign-in (HTTP ${status}), which zerd does not do for outside tools: give the entry a header with a token, as "headers": {"Authorization": "Bearer \${NAME}"}`;
  if (status !== undefined) return `the server answered HTTP ${status}: ${messageOf(error)}`;
  const code = systemCodeOf(error);
  return code === undefined ? messageOf(error) : `${messageOf(error)} (${code})`;
}

function messageOf(error: unknown): string {
  if (typeof error === 'object' && error !== null && 'name' in error && error.name === 'ZodError')
    return 'what it answered is not what the protocol says';
  return typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : String(error);
}

/** Its `code`, whatever that is. */
export function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}
