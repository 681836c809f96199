/**
 * Calls a tool of an outside server, or looks tools up. Invariants: what does not fit the tool's own schema never reaches
 * its server; an abort settles the call at once, whatever the server does; what comes back is data.
 */
import { findTools, foundText, instructionsOf } from '@zerd/core/mcp/lookup';
import { prepareOutsideCall } from '@zerd/core/mcp/prepare-call';
import type { McpServer } from '@zerd/core/mcp/server';
import { maxImageBytesAtOnce, maxImagesAtOnce } from '@zerd/protocol/common/image-words';
import type { JsonObject } from '@zerd/protocol/common/json';
import type { McpAnswer } from '../../base/mcp-ports.ts';
import type { NewImage, OutsideTools, ToolContext, ToolResult, ToolRun } from '../../base/ports.ts';
import { failed, interrupted } from '../../base/tool-answer.ts';
import { readImage } from '../../files/image-file.ts';
import { answerText } from './answer-text.ts';

export const run: ToolRun<'mcp'> = async ({ tool, find, ...input }, context) => {
  const { outside, signal } = context;
  if (outside === undefined) return failed('Not called: there are no outside tools here.');
  if (tool === undefined && find === undefined)
    return failed('Not called: say which `tool` with its `arguments`, or what to `find`.');
  const text = `${tool ?? 'mcp'}: interrupted. It may have had an effect.`;
  return untilAborted(signal, text, async () => {
    const servers = await known(outside, tool, signal);
    if (tool === undefined) return found(servers, find ?? '', context);
    return call(servers, tool, (input.arguments ?? {}) as JsonObject, context, outside);
  });
};

/** What is known when it matters: a server that is asked for is connected first. */
async function known(
  outside: OutsideTools,
  tool: string | undefined,
  signal: AbortSignal,
): Promise<readonly McpServer[]> {
  const servers = outside.servers();
  const asked = (name: string) => tool === undefined || tool.startsWith(`${name}/`);
  const isUnknown = servers.some(({ name, state }) => state.kind === 'unknown' && asked(name));
  return isUnknown ? await outside.learn(signal) : servers;
}

function found(servers: readonly McpServer[], words: string, { caps }: ToolContext): ToolResult {
  const tools = findTools(servers, words);
  if (tools.length === 0)
    return failed(`No outside tool fits ${JSON.stringify(words.slice(0, 80))}. ${stateText(servers)}`);
  const said = instructionsOf(servers, words);
  const text = foundText(tools, caps.other - Buffer.byteLength(said));
  return { outcome: 'ok', body: { kind: 'text', text: said === '' ? text : `${said}\n${text}` } };
}

function stateText(servers: readonly McpServer[]): string {
  const shown = servers.slice(0, 20).map(({ name, state }) => {
    if (state.kind === 'ready') return `${name}: ${state.tools.length} tools`;
    return `${name}: ${state.kind === 'unapproved' ? `the user has to run \`zerd mcp approve ${name}\`` : state.kind}`;
  });
  return shown.length === 0 ? 'There are no servers.' : `Servers: ${shown.join('; ')}.`;
}

async function call(
  servers: readonly McpServer[],
  asked: string,
  input: JsonObject,
  { archive, signal, progress }: ToolContext,
  outside: OutsideTools,
): Promise<ToolResult> {
  const prepared = prepareOutsideCall(servers, asked, input);
  if (prepared.kind === 'refuse') return failed(prepared.text);
  const { server, tool } = prepared;
  const answer = await outside.call({
    server,
    tool,
    arguments: input,
    signal,
    ...(progress && { onProgress: progress }),
  });
  const images = answer.outcome === 'ok' ? imagesIn(answer, `${server}/${tool}`) : [];
  const body = { kind: 'text', text: await textOf(answer, archive) } as const;
  return { outcome: answer.outcome, body, ...(images.length === 0 ? {} : { images }) };
}

/** Those that can be shown; the text names every part. As many, and as heavy together, as a message may bring. */
function imagesIn({ content }: McpAnswer, name: string): readonly NewImage[] {
  const images: NewImage[] = [];
  let left = maxImageBytesAtOnce;
  for (const part of content) {
    if (images.length >= maxImagesAtOnce) break;
    const image = part.kind === 'binary' ? readImage(name, part.bytes) : undefined;
    if (image?.kind !== 'image' || image.bytes.length > left) continue;
    images.push(image);
    left -= image.bytes.length;
  }
  return images;
}

async function textOf({ content, outcome }: McpAnswer, archive: ToolContext['archive']): Promise<string> {
  const text = await answerText(content, (bytes) => archive.put(bytes));
  return text === '' && outcome !== 'ok' ? 'The tool failed and said nothing.' : text;
}

/** Settles with the abort: a server may never answer. */
function untilAborted(signal: AbortSignal, text: string, work: () => Promise<ToolResult>): Promise<ToolResult> {
  if (signal.aborted) return Promise.resolve(interrupted(text));
  return new Promise((resolve, reject) => {
    const leave = () => resolve(interrupted(text));
    signal.addEventListener('abort', leave, { once: true });
    work()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', leave));
  });
}
