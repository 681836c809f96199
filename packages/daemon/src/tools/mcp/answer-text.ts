/**
 * Words what an outside tool answered. Whatever is no text is named by type and size, and kept in the archive, as long as
 * it is not too much: each is a file that has to reach the disk, and an answer can hold a million of them.
 */
import { formatCount } from '@zerd/core/context/admit/format-count';
import { plainText } from '@zerd/core/mcp/plain-text';
import type { ArchiveId } from '@zerd/protocol/common/ids';
import type { McpContent } from '../../base/mcp-ports.ts';

const mostKept = 100;

type Keep = (bytes: Uint8Array) => Promise<ArchiveId>;

export async function answerText(content: readonly McpContent[], keep: Keep): Promise<string> {
  const parts: string[] = [];
  let kept = 0;
  let left = 0;
  for (const part of content) {
    if (part.kind === 'binary' && kept >= mostKept) left += 1;
    else parts.push(await partText(part, keep));
    if (part.kind === 'binary') kept += 1;
  }
  const more = `[and ${formatCount(left)} more that are no text and were not kept: ${mostKept} of an answer are]`;
  return [...parts, ...(left === 0 ? [] : [more])].join('\n');
}

async function partText(part: McpContent, keep: Keep): Promise<string> {
  if (part.kind === 'text') return part.text;
  if (part.kind === 'link') return `[link ${[plainText(part.name), plainText(part.uri)].filter(Boolean).join(': ')}]`;
  const id = await keep(part.bytes);
  return `[${plainText(part.type) || 'bytes'}, ${formatCount(part.bytes.length)} bytes, kept as ${id.slice(0, 12)}]`;
}
