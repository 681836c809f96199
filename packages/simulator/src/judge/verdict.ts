/** What a judge needs and says. A judge knows what the real provider refuses, in the provider's words. */
import type { Json } from '../wire.ts';

export interface Verdict {
  readonly status: number;
  readonly type: string;
  readonly message: string;
  readonly code?: string;
  readonly param?: string;
  /** The provider would accept it; the house does not. A gateway that serves other agents lets it pass. */
  readonly stricter?: true;
}

/** What the gateway said before, so that it can see whether it came back unharmed. */
export interface Issued {
  /** The reasoning of this model that stood in front of the call with this id; undefined: none, or the id is not ours. */
  reasoningOf(callId: string, model: string): string | undefined;
  /** The output item with this id, and the reasoning item before it in the same answer; undefined: it is not ours. */
  itemOf(id: string): IssuedItem | undefined;
}

export interface IssuedItem {
  readonly item: Json;
  readonly reasoningId?: string;
}

/** undefined: the provider would accept it. `headers`: in lower case, without secrets. */
export type Judge = (body: Json, issued: Issued, headers: Headers) => Verdict | undefined;

export type Headers = Readonly<Record<string, string>>;

/** A judgement in pieces: the first complaint counts. */
export function* complaints<T>(
  items: Iterable<T>,
  about: (item: T, index: number) => Iterable<Verdict>,
): Iterable<Verdict> {
  let index = 0;
  for (const item of items) yield* about(item, index++);
}

export function firstOf(verdicts: Iterable<Verdict>): Verdict | undefined {
  for (const verdict of verdicts) return verdict;
  return undefined;
}

export function invalid(message: string, more: Partial<Pick<Verdict, 'code' | 'param'>> = {}): Verdict {
  return { status: 400, type: 'invalid_request_error', message, ...more };
}

export function stricter(message: string, param: string): Verdict {
  return { ...invalid(message, { code: 'house_rule', param }), stricter: true };
}

const half = /\p{Surrogate}/u;

/** Half of a character: no valid Unicode, so no valid JSON text to the providers. */
export function loneSurrogate(value: unknown): boolean {
  if (typeof value === 'string') return half.test(value);
  if (Array.isArray(value)) return value.some(loneSurrogate);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, member]) => half.test(key) || loneSurrogate(member));
}
