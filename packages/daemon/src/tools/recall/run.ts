/**
 * Does: shows archived output again, by range or by pattern. Invariant: the answer fits its budget and says what comes
 * next; the body is streamed, never held whole.
 */
import { readFile } from 'node:fs/promises';
import type { Caps } from '@zerd/core/context/admit/caps';
import { formatCount } from '@zerd/core/context/admit/format-count';
import { isZerdError } from '@zerd/protocol/common/errors';
import type { ArchiveId } from '@zerd/protocol/common/ids';
import { maxImageBytes } from '@zerd/protocol/common/image-words';
import type { ToolResult, ToolRun } from '../../base/ports.ts';
import { imageFileWords, readImage, sizeOfImage } from '../../files/image-file.ts';
import { grepBody } from './grep-body.ts';
import { readRange } from './read-range.ts';

/** Bytes of an answer: a range that was asked for by its length may take as much as a read. */
function budgetOf(caps: Caps, withLimit: boolean): number {
  return withLimit ? Math.floor(caps.read * 0.94) : Math.min(Math.floor(caps.other * 0.95), caps.read);
}

const unlimited = 1_000_000_000;

export const run: ToolRun<'recall'> = async ({ id, pattern, offset = 1, limit }, { archive, signal, caps }) => {
  const found = await archive.locate(id);
  if (found === undefined) return failed(unknownId(id));
  const image = await imageIn(found);
  if (image !== undefined) return image;
  const range = {
    file: found.file,
    from: offset,
    limit: limit ?? unlimited,
    bytes: budgetOf(caps, limit !== undefined),
    signal,
  };
  try {
    if (pattern === undefined) return await showRange(range, found.id);
    return { outcome: 'ok', body: { kind: 'text', text: await showMatches(range, pattern) } };
  } catch (error) {
    if (signal.aborted) return { outcome: 'interrupted', body: { kind: 'text', text: 'interrupted by the user' } };
    if (isZerdError(error)) return failed(error.message);
    throw error;
  }
};

/** An image that was shown once is shown again, also when its file is gone. */
async function imageIn({ id, file }: { id: ArchiveId; file: string }) {
  const bytes = await sizeOfImage(file);
  if (bytes === undefined || bytes > maxImageBytes) return undefined;
  const image = readImage(`archive:${id.slice(0, 12)}`, await readFile(file));
  if (image?.kind !== 'image') return undefined;
  const { kind: _, ...shown } = image;
  const text = `[image ${imageFileWords(shown)}]`;
  return { outcome: 'ok', body: { kind: 'text', text }, images: [shown] } satisfies ToolResult;
}

type Range = Parameters<typeof readRange>[0];

async function showRange(range: Range, id: ArchiveId): Promise<ToolResult> {
  const { lines, total, clipped } = await readRange(range);
  const last = range.from + lines.length - 1;
  if (lines.length === 0) {
    const text = `[there is no line ${range.from}: the output has ${formatCount(total)} lines]`;
    return { outcome: 'ok', body: { kind: 'text', text } };
  }
  const next = last < total ? `; next offset ${last + 1}` : '';
  const cut = clipped ? '; long lines clipped, "pattern" shows the part around a match' : '';
  const foot = `[lines ${range.from}-${last} of ${formatCount(total)}${next}${cut}]`;
  const path = `archive:${id.slice(0, 12)}`;
  const view = { path, hash: id, lines: total, first: range.from, rows: lines, foot };
  return { outcome: 'ok', body: { kind: 'text', text: [...lines, foot].join('\n') }, ...(clipped ? {} : { view }) };
}

async function showMatches(range: Range, pattern: string): Promise<string> {
  const { lines, total, last } = await grepBody(range, pattern);
  if (total === 0) return range.from > 1 ? `no line from ${range.from} on matches` : 'no line matches';
  const more =
    lines.length < total && last !== undefined ? `, ${lines.length} shown; go on with offset ${last + 1}` : '';
  return [...lines, `[${formatCount(total)} matching ${total === 1 ? 'line' : 'lines'}${more}]`].join('\n');
}

function failed(text: string): ToolResult {
  return { outcome: 'failed', body: { kind: 'text', text } };
}

function unknownId(id: string): string {
  return `Nothing is archived under ${JSON.stringify(id.slice(0, 80))}. Use an id that a result of this session named (12 digits or more), or run the call again.`;
}
