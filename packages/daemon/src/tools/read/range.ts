/** Cuts a range of lines out of a text, at most 1 MiB of it. */
import { splitLines, toLf } from '@zerd/core/text/lines';
import { clipUtf8, utf8Length } from '@zerd/core/text/utf8';

export interface Range {
  /** The first line, from 1. */
  readonly offset: number;
  readonly limit: number;
}

export interface CutRange {
  /** Whole lines with LF. Only when the first line alone is too long, its beginning. */
  readonly text: string;
  readonly first: number;
  readonly last: number;
  /** Lines of the whole text. */
  readonly total: number;
  /** Not even the first line is whole. */
  readonly clipped?: boolean;
  /** Set when the size, not the range, ended it: how to go on. */
  readonly more?: string;
}

export const maxReadBytes = 1024 * 1024;

export function cutRange(text: string, { offset, limit }: Range): CutRange {
  const lines = splitLines(text);
  const kept: string[] = [];
  let bytes = 0;
  for (const line of lines.slice(offset - 1, offset - 1 + limit)) {
    bytes += utf8Length(line);
    if (bytes > maxReadBytes) return cutShort(kept, line, offset, lines.length);
    kept.push(line);
  }
  return { text: toLf(kept.join('')), first: offset, last: offset + kept.length - 1, total: lines.length };
}

function cutShort(kept: readonly string[], next: string, first: number, total: number): CutRange {
  if (kept.length === 0) {
    return { text: clipUtf8(next, maxReadBytes), first, last: first, total, clipped: true, more: longLine(first) };
  }
  const last = first + kept.length - 1;
  return { text: toLf(kept.join('')), first, last, total, more: `1 MiB at most; go on with offset ${last + 1}` };
}

export function longLine(line: number): string {
  return `only the first 1 MiB of line ${line}, which is longer; use search or a command in the shell for the rest`;
}
