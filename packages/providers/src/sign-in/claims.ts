/**
 * What a token says of itself. It came from the provider over TLS and is only read for labels and times, never to decide
 * whom to trust: its signature is not checked. What cannot be read says nothing.
 */
import { numberOf, objectOf, parseJson, textOf } from '../json/fields.ts';

export interface Claims {
  /** Seconds of the epoch. */
  readonly exp?: number;
  readonly email?: string;
  readonly accountId?: string;
  readonly plan?: string;
  readonly nonce?: string;
}

export function claimsIn(token: string): Claims {
  const payload = parseJson(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
  const auth = objectOf(payload, 'https://api.openai.com/auth');
  const exp = numberOf(payload, 'exp');
  const texts = {
    email: textOf(payload, 'email'),
    accountId: textOf(auth, 'chatgpt_account_id'),
    plan: textOf(auth, 'chatgpt_plan_type'),
    nonce: textOf(payload, 'nonce'),
  };
  const said = Object.entries(texts).filter(([, value]) => value !== undefined);
  return { ...(exp === undefined ? {} : { exp }), ...Object.fromEntries(said) };
}
