/** Words what an outside tool answered. Whatever is no text is named by type and size, and kept in the archive. */
import { formatCount } from '@zerd/core/context/admit/format-count';
import { plainText } from '@zerd/core/mcp/plain-text';
import type { ArchiveId } from '@zerd/protocol/common/ids';
import type { McpContent } from '../../base/mcp-ports.ts';

export async function answerText(
  content: readonly McpContent[],
  keep: (bytes: Uint8Array) => Promise<ArchiveId>,
): Promise<string> {
  const parts: string[] = [];
  for (const part of content) parts.push(await partText(part, keep));
  return parts.join('\n');
}

async function partText(part: McpContent, keep: (bytes: Uint8Array) => Promise<ArchiveId>): Promise<string> {
  if (part.kind === 'text') return part.text;
  if (part.kind === 'link') return `[link ${[plainText(part.name), plainText(part.uri)].filter(Boolean).join(': ')}]`;
  const id = await keep(part.bytes);
  return `[${plainText(part.type) || 'bytes'}, ${formatCount(part.bytes.length)} bytes, kept as ${id.slice(0, 12)}]`;
}
