/** Turns what an SDK or the network threw into a ProviderFailure. Codes are read by name: errors cross realms and copies. */
import type { ProviderFailure } from '@zerd/core/model/answer';
import type { JsonValue } from '@zerd/protocol/common/json';
import { classify } from './classify.ts';

/** How far the attempt had come when it was thrown. */
export type Phase = 'connecting' | 'waiting' | 'reading';

/** `place`: where the attempt went, if it is known; `proxy`: through which proxy. */
export function failureOf(thrown: unknown, phase: Phase, place = 'the provider', proxy?: string): ProviderFailure {
  const inStream = fieldOf(thrown, 'error');
  if (inStream !== undefined && inStream !== null) return classify({ body: inStream as JsonValue });
  if (fieldOf(thrown, 'name') === 'SyntaxError') return malformed('The stream holds data that is not JSON.');
  const code = networkCode(thrown);
  if (code !== undefined && fatal.test(code))
    return unreachable(
      `No secure connection to ${place} (${code}).${unknownAuthority.test(code) ? ownAuthority : ''}`,
      false,
    );
  if (phase === 'reading') return truncated(`The connection broke in the middle of the answer${named(code)}.`);
  if (phase === 'waiting') return truncated(`The connection closed before the answer began${named(code)}.`);
  const tried = addressOf(thrown);
  const said = code !== undefined && wordless.test(code) ? wordsOf(thrown) : code;
  const details = [said, isIn(proxy ?? place, tried) ? undefined : tried].filter((detail) => detail !== undefined);
  const way = proxy === undefined ? place : `${place} through the proxy ${proxy}`;
  const check = proxy === undefined ? 'baseUrl and the network' : 'the proxy, NO_PROXY and baseUrl';
  return unreachable(`No connection to ${way}${named(details.join(' ') || wordsOf(thrown))}. Check ${check}.`, true);
}

export function malformed(message: string): ProviderFailure {
  return { code: 'provider_malformed', message, retryable: false };
}

export function truncated(message: string): ProviderFailure {
  return { code: 'provider_truncated', message, retryable: true };
}

function unreachable(message: string, retryable: boolean): ProviderFailure {
  return { code: 'provider_unreachable', message, retryable };
}

/** A certificate does not become right by asking again. */
const fatal = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS|ERR_INVALID_URL|EPROTO|ERR_SSL/;

const unknownAuthority = /SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER/;
const ownAuthority =
  ' If it signs with an authority of its own, name that in NODE_EXTRA_CA_CERTS and start zerd again.';
/** Codes under which undici puts what a proxy answered: the words say it. */
const wordless = /^UND_ERR_(ABORTED|INVALID_ARG)$/;

function networkCode(thrown: unknown, depth = 0): string | undefined {
  if (depth > 5) return undefined;
  const code = fieldOf(thrown, 'code');
  if (typeof code === 'string' && code !== '') return code;
  const cause = fieldOf(thrown, 'cause');
  return cause === undefined ? undefined : networkCode(cause, depth + 1);
}

/** Where the system tried to connect: a host that has no address, or the address that refused. */
function addressOf(thrown: unknown, depth = 0): string | undefined {
  if (depth > 5 || thrown === undefined) return undefined;
  const [first] = listOf(fieldOf(thrown, 'errors'));
  const hostname = fieldOf(thrown, 'hostname');
  const address = fieldOf(thrown, 'address');
  if (typeof hostname === 'string') return hostname;
  if (typeof address === 'string') return `${address}:${String(fieldOf(thrown, 'port'))}`;
  return addressOf(first, depth + 1) ?? addressOf(fieldOf(thrown, 'cause'), depth + 1);
}

/** The place names it already, with its port or without. */
function isIn(place: string, tried: string | undefined): boolean {
  return place === tried || place.replace(/:\d+$/, '') === tried;
}

/** What was said at the root of it: without a code there is nothing better, and a defect of ours must not hide. */
function wordsOf(thrown: unknown, depth = 0): string | undefined {
  const cause = depth < 5 ? fieldOf(thrown, 'cause') : undefined;
  const message = fieldOf(thrown, 'message');
  return (
    (cause === undefined ? undefined : wordsOf(cause, depth + 1)) ?? (typeof message === 'string' ? message : undefined)
  );
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function fieldOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && key in value
    ? (value as Record<string, unknown>)[key]
    : undefined;
}

function named(code: string | undefined): string {
  return code === undefined ? '' : ` (${code})`;
}
