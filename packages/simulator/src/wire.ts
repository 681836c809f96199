/** The languages that the gateway speaks, and JSON as it arrives: nothing about it is known before it is looked at. */

export type Wire = 'anthropic' | 'responses' | 'chat';

/** How a wire is spoken: ChatGPT's backend speaks Responses with headers, refusals and limits of its own. */
export type Dialect = Wire | 'codex';

export type Json = { readonly [key: string]: unknown };

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The members of a list that are objects; anything else is an empty list. */
export function objectsOf(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

export function stringOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
