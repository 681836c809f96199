/**
 * Keeps what a command writes while it streams: the first and the last 32 MiB, in a file once it is large, and the
 * beginning and end to look at in memory. Invariant: memory stays below 3 MiB however much comes, every byte is
 * counted, and small output is not written here at all.
 */
import { isUtf8 } from 'node:buffer';
import { type FileHandle, open, rm } from 'node:fs/promises';
import type { Body } from '../base/ports.ts';

export interface OutputSpool {
  /** One at a time: settles when the next may come. Never rejects. */
  write(chunk: Uint8Array): Promise<void>;
  /** Once, after the last write. */
  finish(): Promise<Body>;
}

export interface SpoolLimits {
  /** Bytes of the beginning and of the end that the file keeps. */
  readonly kept: number;
  /** Bytes of the beginning and of the end that are looked at. */
  readonly seen: number;
}

export const defaultLimits: SpoolLimits = { kept: 32 * 1024 * 1024, seen: 1024 * 1024 };

interface Disk {
  readonly file: string;
  readonly handle: FileHandle;
  readonly tailFile: string;
  tail: FileHandle | undefined;
}

/** `newPath` gives free private paths on the archive's file system. */
export function createOutputSpool(newPath: () => string, limits = defaultLimits): OutputSpool {
  const head: Buffer[] = [];
  const ring = createRing(limits.seen);
  let disk: Disk | undefined;
  let broken: string | undefined;
  let total = 0;
  let lineEnds = 0;
  let lastByte = 0x0a;

  async function write(chunk: Uint8Array): Promise<void> {
    if (chunk.length === 0) return;
    const before = total;
    total += chunk.length;
    lineEnds += countLineEnds(chunk);
    lastByte = chunk.at(-1) ?? lastByte;
    const toHead = Math.max(0, Math.min(chunk.length, limits.seen - before));
    if (toHead > 0) head.push(Buffer.from(chunk.subarray(0, toHead)));
    if (toHead === chunk.length) return;
    const rest = chunk.subarray(toHead);
    ring.push(rest);
    await attempt(() => toDisk(rest, before + toHead));
  }

  /** What the disk refuses is not kept; the command goes on and the result says so. */
  async function attempt(work: () => Promise<void>): Promise<void> {
    if (broken !== undefined) return;
    await work().catch((error: unknown) => {
      broken = String(error);
    });
  }

  async function toDisk(bytes: Uint8Array, position: number): Promise<void> {
    disk ??= await openDisk(newPath, head);
    const fitting = Math.max(0, Math.min(bytes.length, limits.kept - position));
    if (fitting > 0) await writeAll(disk.handle, bytes.subarray(0, fitting), position);
    if (fitting === bytes.length) return;
    disk.tail ??= await open(disk.tailFile, 'wx+', 0o600);
    await writeCircular(disk.tail, bytes.subarray(fitting), position + fitting - limits.kept, limits.kept);
  }

  async function finish(): Promise<Body> {
    const bytes = Buffer.concat(head);
    if (disk === undefined && broken === undefined) {
      if (isUtf8(bytes)) return { kind: 'text', text: bytes.toString('utf8') };
      await attempt(async () => {
        disk = await openDisk(newPath, head);
      });
    }
    const { headText, tailText } = endsOf(bytes, ring.content(), total);
    await attempt(async () => disk && appendTail(disk, total, limits.kept));
    await close(disk);
    if (disk === undefined || broken !== undefined) {
      await discard(disk);
      return { kind: 'text', text: `${headText}\n[the output could not be kept: ${broken}]\n${tailText}` };
    }
    const totalLines = lineEnds + (lastByte === 0x0a ? 0 : 1);
    return { kind: 'spool', file: disk.file, headText, tailText, totalBytes: total, totalLines };
  }

  return { write, finish };
}

function countLineEnds(chunk: Uint8Array): number {
  let count = 0;
  for (let i = 0; i < chunk.length; i += 1) if (chunk[i] === 0x0a) count += 1;
  return count;
}

async function openDisk(newPath: () => string, head: readonly Buffer[]): Promise<Disk> {
  const file = newPath();
  const handle = await open(file, 'wx', 0o600);
  await writeAll(handle, Buffer.concat(head), 0);
  return { file, handle, tailFile: newPath(), tail: undefined };
}

async function writeAll(handle: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    done += (await handle.write(bytes, done, bytes.length - done, position + done)).bytesWritten;
  }
}

async function writeCircular(handle: FileHandle, bytes: Uint8Array, offset: number, size: number): Promise<void> {
  const at = offset % size;
  const first = bytes.subarray(0, size - at);
  await writeAll(handle, first, at);
  if (first.length < bytes.length)
    await writeCircular(handle, bytes.subarray(first.length), offset + first.length, size);
}

/** Brings the circular end behind the beginning, in order. */
async function appendTail({ handle, tail }: Disk, total: number, kept: number): Promise<void> {
  if (tail === undefined) return;
  const beyond = total - kept;
  const missing = Math.max(0, beyond - kept);
  const note = missing === 0 ? '' : `\n[${missing} bytes are not kept here]\n`;
  await writeAll(handle, Buffer.from(note), kept);
  const size = Math.min(beyond, kept);
  const start = beyond > kept ? beyond % kept : 0;
  await copyCircular(tail, handle, { start, size, to: kept + note.length });
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
    await writeAll(to, buffer.subarray(0, bytesRead), range.to + done);
    done += bytesRead;
  }
}

async function close(disk: Disk | undefined): Promise<void> {
  await disk?.handle.close();
  await disk?.tail?.close();
  if (disk?.tail !== undefined) await rm(disk.tailFile, { force: true });
}

async function discard(disk: Disk | undefined): Promise<void> {
  if (disk !== undefined) await rm(disk.file, { force: true });
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

function withoutBrokenEnd(bytes: Buffer): Buffer {
  for (let back = 1; back <= Math.min(4, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return bytes;
    if (byte >= 0xc0) return back < sizeFrom(byte) ? bytes.subarray(0, bytes.length - back) : bytes;
  }
  return bytes;
}

/** Bytes of the character that begins with `first`. */
function sizeFrom(first: number): number {
  return first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
}

function withoutBrokenStart(bytes: Buffer): Buffer {
  let start = 0;
  while (start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return bytes.subarray(start);
}

/** The last `size` bytes of everything pushed. */
function createRing(size: number) {
  let buffer: Buffer | undefined;
  let total = 0;

  function push(bytes: Uint8Array): void {
    buffer ??= Buffer.allocUnsafe(size);
    const last = bytes.subarray(Math.max(0, bytes.length - size));
    const at = (total + bytes.length - last.length) % size;
    const first = Math.min(last.length, size - at);
    buffer.set(last.subarray(0, first), at);
    buffer.set(last.subarray(first), 0);
    total += bytes.length;
  }

  function content(): Buffer {
    if (buffer === undefined) return Buffer.alloc(0);
    if (total <= size) return buffer.subarray(0, total);
    const at = total % size;
    return Buffer.concat([buffer.subarray(at), buffer.subarray(0, at)]);
  }

  return { push, content };
}
