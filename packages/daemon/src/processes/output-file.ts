/**
 * Keeps what a command writes, in files of its folder, from its first byte: the first and the last 32 MiB. Invariants:
 * whoever reads the folder at any moment, also after a kill, finds what was written; memory stays flat however much
 * comes; every byte is counted, also when the disk breaks. A full one breaks nothing: who writes gives the chunk again.
 */
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { isDiskFull } from '../base/full-disk.ts';
import { codeOf } from './error-code.ts';

export interface OutputLimits {
  /** Bytes of the beginning and of the end that are kept. */
  readonly kept: number;
  /** Bytes of the beginning and of the end that are looked at. */
  readonly seen: number;
}

export const outputLimits: OutputLimits = { kept: 32 * 1024 * 1024, seen: 1024 * 1024 };

/** The files of the folder. `tail` is written in a circle; `count` holds bytes and line ends once there is a tail. */
export const outputNames = { head: 'out', tail: 'out.tail', count: 'out.count' } as const;

export interface OutputCount {
  readonly bytes: number;
  readonly lines: number;
  /** Why the disk did not take all of it. */
  readonly broken?: string;
}

export interface OutputFile {
  /** Throws what says that the disk is full: then nothing of the chunk counts. Nothing else is thrown. */
  write(chunk: Uint8Array): void;
  /** Nothing more is kept, but all is counted. */
  giveUp(why: string): void;
  count(): OutputCount;
  /** Once and for all; more calls do nothing. */
  close(): void;
}

/** `folder` is private and has no output yet. */
export function openOutputFile(folder: string, { kept } = outputLimits): OutputFile {
  const head = openNew(folder, outputNames.head);
  let tail: { readonly bytes: number; readonly count: number } | undefined;
  let broken: string | undefined;
  let total = 0;
  let lineEnds = 0;
  let lastByte = 0x0a;
  let closed = false;

  const count = (): OutputCount => {
    const lines = lineEnds + (lastByte === 0x0a ? 0 : 1);
    return { bytes: total, lines, ...(broken === undefined ? {} : { broken }) };
  };

  function toDisk(chunk: Uint8Array, position: number): void {
    const fitting = Math.max(0, Math.min(chunk.length, kept - position));
    if (fitting > 0) writeAll(head, chunk.subarray(0, fitting), position);
    if (fitting === chunk.length) return;
    tail ??= openTail(folder);
    writeCircular(tail.bytes, chunk.subarray(fitting), position + fitting - kept, kept);
    const { bytes, lines } = count();
    writeAll(tail.count, Buffer.from(`${bytes} ${lines}`.padEnd(40)), 0);
  }

  return {
    write(chunk) {
      if (chunk.length === 0 || closed) return;
      const before = { total, lineEnds, lastByte };
      total += chunk.length;
      lineEnds += countLineEnds(chunk);
      lastByte = chunk.at(-1) ?? lastByte;
      if (broken !== undefined) return;
      try {
        toDisk(chunk, before.total);
      } catch (error) {
        if (isDiskFull(error)) {
          ({ total, lineEnds, lastByte } = before);
          throw error;
        }
        broken = codeOf(error);
      }
    },
    giveUp(why) {
      broken ??= why;
    },
    count,
    close() {
      if (closed) return;
      closed = true;
      for (const fd of [head, ...(tail ? [tail.bytes, tail.count] : [])]) closeSync(fd);
    },
  };
}

/** A full disk may have taken the one and not the other: then both are made again. */
function openTail(folder: string): { readonly bytes: number; readonly count: number } {
  const count = openSync(join(folder, outputNames.count), 'w', 0o600);
  try {
    return { count, bytes: openNew(folder, outputNames.tail) };
  } catch (error) {
    closeSync(count);
    throw error;
  }
}

function openNew(folder: string, name: string): number {
  return openSync(join(folder, name), 'wx', 0o600);
}

function writeAll(fd: number, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done, bytes.length - done, position + done);
}

function writeCircular(fd: number, bytes: Uint8Array, offset: number, size: number): void {
  for (let done = 0; done < bytes.length; ) {
    const at = (offset + done) % size;
    const part = bytes.subarray(done, done + size - at);
    writeAll(fd, part, at);
    done += part.length;
  }
}

function countLineEnds(chunk: Uint8Array): number {
  let ends = 0;
  for (let i = 0; i < chunk.length; i += 1) if (chunk[i] === 0x0a) ends += 1;
  return ends;
}
