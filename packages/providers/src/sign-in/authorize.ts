/**
 * The page that a browser is sent to, and what it comes back with. Invariant: a callback counts only with the word that its
 * own request was given; whatever else it says is not looked at before that.
 */
import { timingSafeEqual } from 'node:crypto';
import { newProof, type Proof, randomWord } from './pkce.ts';
import type { Way } from './ways.ts';

/** One attempt to sign in. Held in memory only. */
export interface Attempt {
  readonly way: Way;
  readonly proof: Proof;
  readonly state: string;
  readonly nonce: string;
}

export function newAttempt(way: Way): Attempt {
  return { way, proof: newProof(), state: randomWord(), nonce: randomWord() };
}

export function authorizeUrl({ way, proof, state, nonce }: Attempt): string {
  const url = new URL(way.authorizeUrl);
  const parameters = {
    response_type: 'code',
    client_id: way.clientId,
    redirect_uri: way.redirectUrl,
    scope: way.scope,
    code_challenge: proof.challenge,
    code_challenge_method: 'S256',
    state,
    ...(way.name === 'plan' ? { nonce } : {}),
    ...(way.resource === undefined ? {} : { resource: way.resource }),
    ...way.more,
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

export type Callback =
  | { readonly kind: 'code'; readonly code: string; readonly clientId: string }
  /** Somebody else's: it ends nothing. */
  | { readonly kind: 'foreign' }
  | { readonly kind: 'refused'; readonly why: string };

/** `url`: the whole address that the browser was sent back to, or the path and query of it. */
export function readCallback({ way, state }: Attempt, url: string): Callback {
  if (!URL.canParse(url, way.redirectUrl)) return { kind: 'foreign' };
  const { pathname, searchParams } = new URL(url, way.redirectUrl);
  if (pathname !== new URL(way.redirectUrl).pathname || !isSame(searchParams.get('state'), state))
    return { kind: 'foreign' };
  const error = searchParams.get('error');
  if (error !== null)
    return { kind: 'refused', why: `${searchParams.get('error_description') ?? error}`.slice(0, 300) };
  const code = searchParams.get('code');
  const issued = searchParams.get('client_id');
  if (!code) return { kind: 'refused', why: 'the provider sent no code' };
  if (way.issuesClientId && !issued) return { kind: 'refused', why: 'the provider issued no client id' };
  return { kind: 'code', code, clientId: way.issuesClientId && issued ? issued : way.clientId };
}

function isSame(given: string | null, expected: string): boolean {
  const [a, b] = [Buffer.from(given ?? ''), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
