/**
 * Redeems codes and renews tokens (RFC 6749, 7636; the device way as OpenAI's own client asks it). Invariant: a failure is a
 * value whose words hold no token, and it tells apart what ends a sign-in from what may work a little later.
 */
import type { JsonValue } from '@zerd/protocol/common/json';
import { redact } from '../failure/redact.ts';
import { numberOf, objectOf, textOf } from '../json/fields.ts';
import { type PostAnswer, type PostParts, post } from '../transport/post.ts';
import type { Attempt } from './authorize.ts';
import { claimsIn } from './claims.ts';
import type { DeviceWay, Way } from './ways.ts';

/** What a sign-in comes to. Secret but for its labels. */
export interface Tokens {
  readonly access: string;
  readonly refresh: string;
  /** The one that was issued, where the way issues one. */
  readonly clientId: string;
  /** Milliseconds of the epoch. */
  readonly expiresAt: number;
  readonly email?: string;
  readonly plan?: string;
}

export type TokenAnswer =
  | { readonly kind: 'tokens'; readonly tokens: Tokens }
  /** The provider said no: it takes a new sign-in. */
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'unreachable'; readonly why: string };

/** What a provider says when it names no time (facts: about an hour). */
const usualLifeMs = 3_600_000;

export async function redeemCode(
  { way, proof, nonce }: Attempt,
  { code, clientId }: { readonly code: string; readonly clientId: string },
  parts: PostParts,
): Promise<TokenAnswer> {
  const answer = await askTokens(way, parts, {
    grant_type: 'authorization_code',
    code,
    client_id: clientId,
    redirect_uri: way.redirectUrl,
    code_verifier: proof.verifier,
  });
  const read = tokensFrom(answer, clientId, parts, [code, proof.verifier]);
  if (read.kind !== 'tokens' || way.name !== 'plan') return read;
  // A code of somebody else's attempt, put into ours.
  const said = answer.kind === 'answer' ? claimsIn(textOf(answer.body, 'id_token') ?? '').nonce : undefined;
  return said === undefined || said === nonce ? read : { kind: 'refused', why: 'the answer is for another attempt' };
}

/** The refresh token may be another one afterwards; the old one is then void. */
export async function renewTokens(way: Way, before: Tokens, parts: PostParts): Promise<TokenAnswer> {
  const { refresh, clientId } = before;
  const fields = { grant_type: 'refresh_token', refresh_token: refresh, client_id: clientId };
  const read = tokensFrom(await askTokens(way, parts, fields), clientId, parts, [refresh], refresh);
  if (read.kind !== 'tokens') return read;
  const labels = { ...(before.email && { email: before.email }), ...(before.plan && { plan: before.plan }) };
  return { kind: 'tokens', tokens: { ...labels, ...read.tokens } };
}

export interface DeviceCode {
  readonly userCode: string;
  readonly deviceId: string;
  readonly everyMs: number;
}

export async function askDeviceCode(
  { clientId }: Way,
  device: DeviceWay,
  parts: PostParts,
): Promise<DeviceCode | { readonly why: string }> {
  const answer = await post(device.codeUrl, { json: { client_id: clientId } }, parts);
  if (answer.kind === 'unreachable') return { why: answer.why };
  const userCode = textOf(answer.body, 'user_code') ?? textOf(answer.body, 'usercode');
  const deviceId = textOf(answer.body, 'device_auth_id');
  if (answer.status !== 200 || !userCode || !deviceId) return { why: wordsOf(answer, []) };
  const seconds = numberOf(answer.body, 'interval') ?? Number(textOf(answer.body, 'interval') ?? 5);
  return { userCode, deviceId, everyMs: Math.max(1, Number.isFinite(seconds) ? seconds : 5) * 1_000 };
}

/** `pending`: the user has not typed the code yet. */
export async function pollDevice(
  way: Way,
  device: DeviceWay,
  { userCode, deviceId }: DeviceCode,
  parts: PostParts,
): Promise<TokenAnswer | { readonly kind: 'pending' }> {
  const answer = await post(device.pollUrl, { json: { device_auth_id: deviceId, user_code: userCode } }, parts);
  if (answer.kind === 'unreachable') return answer;
  if (answer.status === 403 || answer.status === 404) return { kind: 'pending' };
  const code = textOf(answer.body, 'authorization_code');
  const verifier = textOf(answer.body, 'code_verifier');
  if (answer.status !== 200 || !code || !verifier) return { kind: 'refused', why: wordsOf(answer, []) };
  const { clientId } = way;
  const redeemed = await askTokens(way, parts, {
    grant_type: 'authorization_code',
    code,
    client_id: clientId,
    redirect_uri: device.redirectUrl,
    code_verifier: verifier,
  });
  return tokensFrom(redeemed, clientId, parts, [code, verifier]);
}

function askTokens(way: Way, parts: PostParts, fields: Readonly<Record<string, string>>): Promise<PostAnswer> {
  const form = way.resource === undefined ? fields : { ...fields, resource: way.resource };
  return post(way.tokenUrl, { form }, parts);
}

function tokensFrom(
  answer: PostAnswer,
  clientId: string,
  { clock }: PostParts,
  secrets: readonly string[],
  refreshBefore?: string,
): TokenAnswer {
  if (answer.kind === 'unreachable') return answer;
  const { status, body } = answer;
  const access = textOf(body, 'access_token');
  const refresh = textOf(body, 'refresh_token') ?? refreshBefore;
  if (status === 200 && access && refresh) {
    const { email, plan } = { ...claimsIn(access), ...claimsIn(textOf(body, 'id_token') ?? '') };
    const labels = { ...(email === undefined ? {} : { email }), ...(plan === undefined ? {} : { plan }) };
    return {
      kind: 'tokens',
      tokens: { access, refresh, clientId, expiresAt: endOf(access, body, clock.wall()), ...labels },
    };
  }
  const why = wordsOf(answer, secrets);
  // What is too much, or broken for now, ends no sign-in.
  return status === 429 || status >= 500 ? { kind: 'unreachable', why } : { kind: 'refused', why };
}

function endOf(access: string, body: JsonValue | undefined, now: number): number {
  const seconds = numberOf(body, 'expires_in');
  if (seconds !== undefined) return Math.round(now + seconds * 1_000);
  const { exp } = claimsIn(access);
  return exp === undefined ? now + usualLifeMs : exp * 1_000;
}

function wordsOf({ status, body }: Extract<PostAnswer, { kind: 'answer' }>, secrets: readonly string[]): string {
  const said =
    textOf(body, 'error_description') ??
    textOf(objectOf(body, 'error'), 'message') ??
    textOf(objectOf(body, 'error'), 'code') ??
    textOf(body, 'error');
  return redact(said === undefined ? `status ${status}` : `${said} (status ${status})`, secrets);
}
