/** Streams a range of lines out of an archived body. Invariant: memory is bounded by the budget, not by the body. */
import { createReadStream } from 'node:fs';
import { clipLine } from '@zerd/core/context/admit/clip-line';
import { utf8Length } from '@zerd/core/text/utf8';

export interface BodyRange {
  readonly file: string;
  /** First line, from 1. */
  readonly from: number;
  readonly limit: number;
  /** What all lines together may take. */
  readonly bytes: number;
  readonly signal: AbortSignal;
}

export interface RangeOfLines {
  readonly lines: readonly string[];
  /** Lines of the whole body. */
  readonly total: number;
  readonly clipped: boolean;
}

/** A line that is asked for among others shows this much; alone it may take the whole budget. */
const lineBytes = 1_000;

/** Bytes of one line that are held: the rest of it is only counted. */
const heldBytes = 64 * 1024;

export async function readRange(range: BodyRange): Promise<RangeOfLines> {
  const lineCap = range.limit === 1 ? range.bytes - 100 : lineBytes;
  const lines: string[] = [];
  let left = range.bytes - 150;
  let full = false;
  let clipped = false;

  function wants(number: number): boolean {
    return !full && number >= range.from && lines.length < range.limit;
  }

  function take(line: HeldLine): void {
    const text = showLine(line, lineCap);
    left -= utf8Length(text.shown) + 1;
    full = left < 0 && lines.length > 0;
    if (full) return;
    lines.push(text.shown);
    clipped ||= text.clipped;
  }

  const total = await eachLine(range, { wants, take });
  return { lines, total, clipped };
}

interface HeldLine {
  readonly number: number;
  /** At most `heldBytes` of it. */
  readonly head: Buffer;
  readonly bytes: number;
}

function showLine(line: HeldLine, cap: number): { readonly shown: string; readonly clipped: boolean } {
  const text = line.head.toString('utf8').replace(/\r$/, '');
  const shown = clipLine(text, cap);
  if (line.bytes <= heldBytes) return { shown, clipped: shown !== text };
  return { shown: `${shown} [a line of ${line.bytes} bytes]`, clipped: true };
}

interface LineSink {
  wants(number: number): boolean;
  take(line: HeldLine): void;
}

/** Gives the number of lines. */
async function eachLine({ file, signal }: BodyRange, sink: LineSink): Promise<number> {
  let number = 1;
  let held: Buffer[] = [];
  let bytes = 0;

  function add(part: Buffer): void {
    if (bytes < heldBytes && sink.wants(number)) held.push(Buffer.from(part.subarray(0, heldBytes - bytes)));
    bytes += part.length;
  }

  function end(): void {
    if (sink.wants(number)) sink.take({ number, head: Buffer.concat(held), bytes });
    number += 1;
    held = [];
    bytes = 0;
  }

  for await (const chunk of createReadStream(file, { signal }) as AsyncIterable<Buffer>) {
    let at = 0;
    for (let next = chunk.indexOf(0x0a); next >= 0; next = chunk.indexOf(0x0a, at)) {
      add(chunk.subarray(at, next));
      end();
      at = next + 1;
    }
    add(chunk.subarray(at));
  }
  if (bytes > 0) end();
  return number - 1;
}
