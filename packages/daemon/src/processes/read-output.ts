/**
 * Reads what `output-file` keeps, while it is written and afterwards. Invariant: offsets count the bytes that the command
 * wrote, also those that are no longer kept, and what is given was written at its offset.
 */
import { isUtf8 } from 'node:buffer';
import { readFileSync, statSync } from 'node:fs';
import { type FileHandle, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { CommandOutput } from '../base/job-ports.ts';
import { type OutputCount, type OutputLimits, outputLimits, outputNames } from './output-file.ts';
import { withoutBrokenEnd, withoutBrokenStart } from './whole-characters.ts';

export async function countOutput(folder: string, { kept } = outputLimits): Promise<OutputCount> {
  const size = await sizeOf(join(folder, outputNames.head));
  if (size < kept) return { bytes: size, lines: 0 };
  const [bytes = '', lines = ''] = (await readFile(join(folder, outputNames.count), 'latin1').catch(() => '')).split(
    ' ',
  );
  return { bytes: Math.max(size, Number(bytes)), lines: Number(lines) };
}

/** Bytes so far, for a list; 0 when there is no output yet. */
export function sizeNow(folder: string): number {
  const size = (name: string) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0;
  const head = size(outputNames.head);
  if (head < outputLimits.kept || size(outputNames.count) === 0) return head;
  return Math.max(head, Number(readFileSync(join(folder, outputNames.count), 'latin1').split(' ')[0]));
}

/** The bytes from `from` up to `to` that are kept; `start`: the offset of the first one. */
export async function readOutput(
  folder: string,
  from: number,
  to: number,
  limits = outputLimits,
): Promise<{ readonly bytes: Buffer; readonly start: number }> {
  const { kept } = limits;
  if (from < kept) return { bytes: await readPart(folder, outputNames.head, from, Math.min(to, kept)), start: from };
  const { bytes: total } = await countOutput(folder, limits);
  const start = Math.max(from, total - kept);
  const end = Math.min(to, total);
  const parts: Buffer[] = [];
  for (let at = start; at < end; ) {
    const position = (at - kept) % kept;
    const part = await readPart(folder, outputNames.tail, position, Math.min(kept, position + end - at));
    if (part.length === 0) break;
    parts.push(part);
    at += part.length;
  }
  return { bytes: Buffer.concat(parts), start };
}

/** At most `limit` bytes from `offset` on; where those are no longer kept, from the first on that are. */
export async function readOn(
  folder: string,
  offset: number,
  limit: number,
  limits = outputLimits,
): ReturnType<typeof readOutput> {
  const found = await readOutput(folder, offset, offset + limit, limits);
  // Also while a command goes on writing over what was the first.
  return found.bytes.length === 0 && found.start > offset
    ? await readOutput(folder, found.start, found.start + limit, limits)
    : found;
}

/**
 * What was written from `from` on, to be shown: whole if it is little, else its beginning and end with a line between
 * them that says what is missing. Nothing is moved.
 */
export async function textFrom(
  folder: string,
  from: number,
  limits = outputLimits,
): Promise<{ readonly text: string; readonly total: number }> {
  const { seen } = limits;
  const { bytes: total } = await countOutput(folder, limits);
  if (total - from <= 2 * seen) {
    const { bytes, start } = await readRange(folder, from, total, limits);
    return { text: `${missing(start - from)}${bytes.toString('utf8')}`, total };
  }
  const head = await readRange(folder, from, from + seen, limits);
  const tail = await readRange(folder, total - seen, total, limits);
  const { headText, tailText } = endsOf(head.bytes, tail.bytes, total - from);
  const left = missing(total - from - head.bytes.length - tail.bytes.length);
  return { text: `${missing(head.start - from)}${headText}${left}${tailText}`, total };
}

/** All of it, as a body of its own; the files are the caller's to remove. `closed`: nobody writes to them any more. */
export async function takeBody(
  folder: string,
  { bytes, lines, broken }: OutputCount,
  closed: boolean,
  newPath: () => string,
  limits = outputLimits,
): Promise<CommandOutput> {
  if (broken !== undefined || !closed) {
    const { text } = await textFrom(folder, 0, limits);
    const note = broken === undefined ? '' : `\n[the output could not be kept: ${broken}]\n`;
    return { kind: 'text', text: text + note };
  }
  const { seen, kept } = limits;
  const head = await readOutput(folder, 0, Math.min(bytes, seen), limits);
  if (bytes <= seen && isUtf8(head.bytes)) return { kind: 'text', text: head.bytes.toString('utf8') };
  const tail = await readRange(folder, Math.max(seen, bytes - seen), bytes, limits);
  const file = newPath();
  await appendTail(folder, bytes, kept);
  await rename(join(folder, outputNames.head), file);
  return { kind: 'spool', file, ...endsOf(head.bytes, tail.bytes, bytes), totalBytes: bytes, totalLines: lines };
}

/** As `readOutput`, also over the border between the two files. */
async function readRange(
  folder: string,
  from: number,
  to: number,
  limits: OutputLimits,
): ReturnType<typeof readOutput> {
  const first = await readOutput(folder, from, to, limits);
  const got = first.start + first.bytes.length;
  if (got >= to || first.bytes.length === 0 || from >= limits.kept) return first;
  const rest = await readOutput(folder, got, to, limits);
  const gap = rest.start - got;
  return gap === 0 ? { bytes: Buffer.concat([first.bytes, rest.bytes]), start: first.start } : first;
}

function missing(bytes: number): string {
  return bytes <= 0 ? '' : `\n[${bytes} bytes left out here]\n`;
}

async function sizeOf(file: string): Promise<number> {
  return stat(file).then(
    ({ size }) => size,
    () => 0,
  );
}

async function readPart(folder: string, name: string, from: number, to: number): Promise<Buffer> {
  const handle = await open(join(folder, name), 'r').catch(() => undefined);
  if (handle === undefined) return Buffer.alloc(0);
  try {
    const buffer = Buffer.alloc(Math.max(0, Math.min(to, (await handle.stat()).size) - from));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, from);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** Brings the circular end behind the beginning, in order. */
async function appendTail(folder: string, total: number, kept: number): Promise<void> {
  if (total <= kept) return;
  const head = await open(join(folder, outputNames.head), 'r+');
  const tail = await open(join(folder, outputNames.tail), 'r');
  try {
    const beyond = total - kept;
    const lost = Math.max(0, beyond - kept);
    const note = Buffer.from(lost === 0 ? '' : `\n[${lost} bytes are not kept here]\n`);
    await head.write(note, 0, note.length, kept);
    const size = Math.min(beyond, kept);
    await copyCircular(tail, head, { start: beyond > kept ? beyond % kept : 0, size, to: kept + note.length });
    await head.sync();
  } catch (error) {
    // It is tried again as a whole.
    await head.truncate(kept).catch(() => undefined);
    throw error;
  } finally {
    await Promise.all([head.close(), tail.close()]);
  }
  await rm(join(folder, outputNames.tail), { force: true });
}

async function copyCircular(
  from: FileHandle,
  to: FileHandle,
  range: { start: number; size: number; to: number },
): Promise<void> {
  const buffer = Buffer.allocUnsafe(256 * 1024);
  for (let done = 0; done < range.size; ) {
    const at = (range.start + done) % range.size;
    const wanted = Math.min(buffer.length, range.size - done, range.size - at);
    const { bytesRead } = await from.read(buffer, 0, wanted, at);
    if (bytesRead === 0) throw new Error('the end of the output is shorter than it was written');
    for (let put = 0; put < bytesRead; )
      put += (await to.write(buffer, put, bytesRead - put, range.to + done + put)).bytesWritten;
    done += bytesRead;
  }
}

/** Cut at line ends where there are some: both ends then hold whole lines. */
function endsOf(head: Buffer, tail: Buffer, total: number): { headText: string; tailText: string } {
  if (head.length + tail.length >= total)
    return { headText: Buffer.concat([head, tail]).toString('utf8'), tailText: '' };
  const lastEnd = head.lastIndexOf(0x0a);
  const firstEnd = tail.indexOf(0x0a);
  const wholeHead = lastEnd < 0 ? withoutBrokenEnd(head) : head.subarray(0, lastEnd + 1);
  const wholeTail =
    firstEnd < 0 || firstEnd === tail.length - 1 ? withoutBrokenStart(tail) : tail.subarray(firstEnd + 1);
  return { headText: wholeHead.toString('utf8'), tailText: wholeTail.toString('utf8') };
}
