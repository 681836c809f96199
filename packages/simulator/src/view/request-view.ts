/** A request in no provider's language, as players and specifications look at it: equal conversations look equal on every wire. */

import type { Wire } from '../wire.ts';
import type { SentImage } from './image.ts';

export type ViewPart =
  | { readonly kind: 'text'; readonly text: string }
  | ({ readonly kind: 'image' } & SentImage)
  | { readonly kind: 'reasoning'; readonly text: string }
  | { readonly kind: 'call'; readonly id: string; readonly name: string; readonly input: unknown }
  | { readonly kind: 'result'; readonly callId: string; readonly text: string; readonly isError: boolean };

/** Roles alternate: what a wire sends as several messages of one side in a row is one message here. */
export interface ViewMessage {
  readonly role: 'user' | 'assistant';
  readonly parts: readonly ViewPart[];
}

export interface RequestView {
  readonly wire: Wire;
  readonly model: string;
  readonly system: string;
  /** Names of the tools, in order. */
  readonly tools: readonly string[];
  readonly messages: readonly ViewMessage[];
  readonly stream: boolean;
}

/** Adds parts to the last message when it is of the same side, else begins one. */
export function appendParts(messages: ViewMessage[], role: ViewMessage['role'], parts: readonly ViewPart[]): void {
  const last = messages.at(-1);
  if (last?.role === role) messages[messages.length - 1] = { role, parts: [...last.parts, ...parts] };
  else messages.push({ role, parts });
}
