/** Makes what a server answered the port's own shape. Invariant: every part of it is kept, if only by its name. */
import type { McpAnswer, McpContent } from '../base/mcp-ports.ts';

interface Result {
  readonly isError?: boolean | undefined;
  readonly content?: readonly Part[] | undefined;
  readonly structuredContent?: unknown;
}

type Part = { readonly type: string } & Readonly<Record<string, unknown>>;

/** `result` has passed the SDK's schema. */
export function answerOf(result: unknown): McpAnswer {
  const { isError, content = [], structuredContent } = result as Result;
  const parts = content.map(partOf);
  // It repeats what the text says, where there is any.
  const structured =
    parts.length === 0 && structuredContent !== undefined ? [text(JSON.stringify(structuredContent))] : [];
  return { outcome: isError === true ? 'failed' : 'ok', content: [...parts, ...structured] };
}

export function text(words: string): McpContent {
  return { kind: 'text', text: words };
}

function partOf(part: Part): McpContent {
  const { type } = part;
  if (type === 'text') return text(String(part.text));
  if (type === 'image' || type === 'audio') return binary(part.mimeType, part.data);
  if (type === 'resource_link') return { kind: 'link', uri: String(part.uri), name: String(part.name) };
  if (type === 'resource') {
    const { text: words, blob, mimeType } = part.resource as Readonly<Record<string, unknown>>;
    return words === undefined ? binary(mimeType, blob) : text(String(words));
  }
  return text(JSON.stringify(part));
}

function binary(type: unknown, base64: unknown): McpContent {
  const bytes = Buffer.from(String(base64), 'base64');
  return { kind: 'binary', type: typeof type === 'string' ? type : 'application/octet-stream', bytes };
}
