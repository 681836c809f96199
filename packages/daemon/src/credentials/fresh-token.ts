/**
 * Does: gives an access token that lasts long enough for a request, renewed under the lock of all processes where it does
 * not. Invariant: the refresh token is used by one process once: whoever waited for the lock finds what the other one got,
 * and what came is in the file before anybody uses it.
 */
import type { ProviderFailure } from '@zerd/core/model/answer';
import { isZerdError } from '@zerd/protocol/common/errors';
import { renewTokens, type Tokens } from '@zerd/providers/sign-in/tokens';
import type { Way } from '@zerd/providers/sign-in/ways';
import type { PostParts } from '@zerd/providers/transport/post';
import type { CredentialsFile } from './file.ts';

/** Left of its life below which a token is renewed: a request begins well before its end. */
const leastMs = 5 * 60_000;

export interface FreshParts extends PostParts {
  readonly provider: string;
  readonly way: Way | undefined;
  read(): CredentialsFileTokens | undefined;
  change<T>(task: (now: CredentialsFile) => Promise<readonly [CredentialsFile, T]>): Promise<T>;
}

export type CredentialsFileTokens = NonNullable<CredentialsFile['signIns']>[string];

type Answer = { readonly access: string } | { readonly failure: ProviderFailure };

export async function freshToken(parts: FreshParts): Promise<Answer> {
  const { provider, way, clock } = parts;
  const known = parts.read();
  if (known === undefined || way === undefined) return signInAgain(provider, 'nobody is signed in');
  if (lasts(known, clock.wall())) return { access: known.access };
  try {
    return await parts.change((now) => renewed(parts, way, now));
  } catch (error) {
    if (!isZerdError(error)) throw error;
    return { failure: { code: 'provider_unreachable', message: (error as Error).message, retryable: true } };
  }
}

async function renewed(parts: FreshParts, way: Way, now: CredentialsFile): Promise<readonly [CredentialsFile, Answer]> {
  const { provider, clock } = parts;
  const held = now.signIns?.[provider];
  if (held === undefined) return [now, signInAgain(provider, 'nobody is signed in')];
  if (lasts(held, clock.wall())) return [now, { access: held.access }];
  const answer = await renewTokens(way, tokensOf(held), parts);
  if (answer.kind === 'tokens')
    return [{ ...now, signIns: { ...now.signIns, [provider]: answer.tokens } }, { access: answer.tokens.access }];
  if (answer.kind === 'refused') return [now, signInAgain(provider, answer.why)];
  // As long as it lives at all it may still be taken.
  if (held.expiresAt > clock.wall()) return [now, { access: held.access }];
  const message = `The sign-in to ${provider} could not be renewed: ${answer.why}.`;
  return [now, { failure: { code: 'provider_unreachable', message, retryable: true } }];
}

function tokensOf({ email, plan, issuedAt, ...held }: CredentialsFileTokens): Tokens {
  const labels = { ...(email === undefined ? {} : { email }), ...(plan === undefined ? {} : { plan }) };
  return { ...held, ...labels, ...(issuedAt === undefined ? {} : { issuedAt }) };
}

/** One that came later than now came while the clock was ahead: its end is not known. */
function lasts({ expiresAt, issuedAt = 0 }: CredentialsFileTokens, now: number): boolean {
  return expiresAt - now > leastMs && issuedAt - now < leastMs;
}

function signInAgain(provider: string, why: string): Answer {
  const message = `The sign-in to ${provider} is over: ${why}. Sign in again with \`zerd login ${provider}\` and go on; nothing is lost.`;
  return { failure: { code: 'provider_auth', message, retryable: false } };
}
