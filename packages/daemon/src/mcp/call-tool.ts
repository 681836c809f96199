/**
 * Makes one call of a tool. Invariants: it settles by its deadlines and at once when it is interrupted; what a call that
 * got no answer has done is called unknown, never guessed, and it is not made again (I9).
 */
import type { McpAnswer, McpCall } from '../base/mcp-ports.ts';
import { answerOf, text } from './answer-of.ts';
import { codeOf, plainWords, statusOf, systemCodeOf, whyOf } from './failure-text.ts';
import type { Link } from './links.ts';
import type { McpParts } from './room.ts';
import { within } from './within.ts';

/** `again`: the server knew nothing of this connection, and so did nothing. */
export async function callTool(parts: McpParts, link: Link, call: McpCall): Promise<McpAnswer | 'again'> {
  const { callMs, totalMs } = parts.settings().deadlines;
  const plain = (words: string) => plainWords(words, link.secrets);
  const limit = { ms: callMs, totalMs, signal: call.signal };
  const outcome = await within(parts.clock, limit, (signal, progress) => {
    const onProgress = (says: string) => {
      progress();
      call.onProgress?.(plain(says).slice(0, 200));
    };
    return link.connection.callTool({ name: call.tool, arguments: call.arguments, signal, onProgress });
  });
  switch (outcome.kind) {
    case 'done':
      return answerOf(outcome.value);
    case 'interrupted':
      return { outcome: 'interrupted', content: [text(`${nameOf(call)} was interrupted. ${whatItDid}`)] };
    case 'overdue':
      return { outcome: 'unknown', content: [text(overdueText(call, outcome.ms, totalMs))] };
    case 'failed':
      return await failed(link, call, outcome.error, plain);
  }
}

async function failed(
  link: Link,
  call: McpCall,
  error: unknown,
  plain: (words: string) => string,
): Promise<McpAnswer | 'again'> {
  const name = nameOf(call);
  if (isClosed(error)) {
    const why = plain(await link.connection.ended) || 'the connection closed';
    return { outcome: 'unknown', content: [text(`${name} got no answer: ${why}. ${whatItDid}`)] };
  }
  const status = statusOf(error);
  if (status !== undefined || systemCodeOf(error) !== undefined) link.drop();
  if (status === 404) return 'again';
  const why = plain(whyOf(error));
  const untouched = (status !== undefined && status < 500) || isRefused(error) || isProtocolError(error);
  if (untouched) return { outcome: 'failed', content: [text(`${name} failed: ${why}.`)] };
  return { outcome: 'unknown', content: [text(`${name} got no answer that can be read: ${why}. ${whatItDid}`)] };
}

const whatItDid =
  'Whether it took effect is not known, and it was not called again: look at what it was to change before you repeat it.';

function overdueText(call: McpCall, ms: number, totalMs: number): string {
  const how = ms === totalMs ? `within ${ms / 1_000} s in all` : `for ${ms / 1_000} s and told of no progress`;
  return `${nameOf(call)} gave no answer ${how}, and was told to stop. ${whatItDid}`;
}

function nameOf({ server, tool }: McpCall): string {
  return `The tool ${tool} of ${server}`;
}

/** The SDK's own code for a connection that closed. */
function isClosed(error: unknown): boolean {
  return codeOf(error) === -32_000;
}

/** The server said why it does not. */
function isProtocolError(error: unknown): boolean {
  const code = codeOf(error);
  return typeof code === 'number' && code < 0;
}

function isRefused(error: unknown): boolean {
  return systemCodeOf(error) === 'ECONNREFUSED';
}
