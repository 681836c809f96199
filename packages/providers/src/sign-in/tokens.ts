/**
 * Redeems codes and renews tokens (RFC 6749, 7636; the device way as OpenAI's own client asks it). Invariant: a failure is a
 * value whose words hold no token, and it tells apart what ends a sign-in from what may work a little later.
 */
import type { JsonValue } from '@zerd/protocol/common/json';
import { redact } from '../failure/redact.ts';
import { isObject, numberOf, objectOf, textOf } from '../json/fields.ts';
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
  /** Milliseconds of the epoch, by the clock of this machine, as when they came. */
  readonly expiresAt: number;
  readonly issuedAt?: number;
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
const longestLifeMs = 365 * 24 * 3_600_000;

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
  const [was, is] = [claimsIn(before.access).accountId, claimsIn(read.tokens.access).accountId];
  // Whoever pays is nobody's to change: not the provider's, and not that of who stands between.
  if (was !== undefined && is !== undefined && was !== is)
    return { kind: 'refused', why: 'the token that came is of another account' };
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
  return { userCode, deviceId, everyMs: between(1, Number.isFinite(seconds) ? seconds : 5, 60) * 1_000 };
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
  if (answer.status !== 200 || !code || !verifier) return withoutTokens(answer, []);
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
  if (status === 200 && isToken(access) && isToken(refresh)) {
    const { email, plan } = { ...claimsIn(access), ...claimsIn(textOf(body, 'id_token') ?? '') };
    const labels = { ...(email === undefined ? {} : { email }), ...(plan === undefined ? {} : { plan }) };
    const now = Math.round(clock.wall());
    const life = { expiresAt: endOf(access, body, now), issuedAt: now };
    return { kind: 'tokens', tokens: { access, refresh, clientId, ...life, ...labels } };
  }
  return withoutTokens(answer, secrets);
}

/**
 * Only a refusal in the words of the protocol ends a sign-in: what is too much, broken for now, or no JSON at all (the page
 * of somebody in between, half an answer) says nothing of it.
 */
function withoutTokens(answer: Answer, secrets: readonly string[]): Exclude<TokenAnswer, { kind: 'tokens' }> {
  const why = wordsOf(answer, secrets);
  const forNow = answer.status === 408 || answer.status === 429 || answer.status >= 500;
  return { kind: forNow || !isObject(answer.body) ? 'unreachable' : 'refused', why };
}

/** What can stand in a header (RFC 6750). */
function isToken(text: string | undefined): text is string {
  return text !== undefined && /^[\x21-\x7e]{1,16384}$/.test(text);
}

/** A file holds it as a number: what is no time at all is the usual one. */
function endOf(access: string, body: JsonValue | undefined, now: number): number {
  const seconds = numberOf(body, 'expires_in') ?? 0;
  const { exp = 0 } = claimsIn(access);
  const lifeMs = seconds > 0 ? seconds * 1_000 : exp > 0 ? exp * 1_000 - now : usualLifeMs;
  return Math.round(now + between(0, lifeMs, longestLifeMs));
}

function between(least: number, value: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}

type Answer = Extract<PostAnswer, { kind: 'answer' }>;

function wordsOf({ status, body }: Answer, secrets: readonly string[]): string {
  if (body === undefined) return `the answer is no JSON (status ${status})`;
  const said =
    textOf(body, 'error_description') ??
    textOf(objectOf(body, 'error'), 'message') ??
    textOf(objectOf(body, 'error'), 'code') ??
    textOf(body, 'error');
  return redact(said === undefined ? `status ${status}` : `${said} (status ${status})`, secrets);
}
