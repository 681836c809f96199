/** What a request shows, as one list: its texts in order, and its calls with their results. */
import type { RequestView } from '../view/request-view.ts';
import { isObject, type Json } from '../wire.ts';

export interface ShownCall {
  readonly name: string;
  readonly input: Json;
  /** undefined: it has none yet. */
  readonly result: string | undefined;
}

/** Messages, arguments and results; not what the system says, and not the model's own thoughts. */
export function textsIn(view: RequestView): readonly string[] {
  const parts = view.messages.flatMap((message) => message.parts);
  return parts.flatMap((part) => {
    if (part.kind === 'reasoning' || part.kind === 'image') return [];
    return [part.kind === 'call' ? plain(part.input) : part.text];
  });
}

export function callsIn(view: RequestView): readonly ShownCall[] {
  const parts = view.messages.flatMap((message) => message.parts);
  const results = new Map(parts.flatMap((part) => (part.kind === 'result' ? [[part.callId, part.text] as const] : [])));
  return parts.flatMap((part) => {
    if (part.kind !== 'call') return [];
    const { id, name, input } = part;
    return [{ name, input: isObject(input) ? input : {}, result: results.get(id) }];
  });
}

/** The strings of arguments as they are, without the escapes of JSON. */
function plain(input: unknown): string {
  if (!isObject(input)) return typeof input === 'string' ? input : JSON.stringify(input);
  return Object.entries(input)
    .map(([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('\n');
}
