/**
 * Reads lines of a file that is too large to load: it is read in pieces up to the end of the range and no further, so
 * neither its lines are counted nor its hash taken. Memory stays within a piece and what is shown, however long a line.
 */
import type { FileHandle } from 'node:fs/promises';
import { countLines, toLf } from '@zerd/core/text/lines';
import type { ToolResult } from '../../base/ports.ts';
import { failed } from '../../base/tool-answer.ts';
import { describeFsFailure } from '../../files/fs-failure.ts';
import { bytesText, withFile } from '../../files/load-file.ts';
import { binary } from '../../files/text-file.ts';
import { longLine, maxReadBytes, type Range } from './range.ts';

export async function readHuge(real: string, path: string, range: Range, signal: AbortSignal): Promise<ToolResult> {
  try {
    return await withFile(real, async (file) => {
      const { size } = await file.stat();
      return answer(path, size, range, await scan(file, range, signal));
    });
  } catch (error) {
    const message = describeFsFailure(error, path);
    if (message === undefined) throw error;
    return failed(message);
  }
}

type Scan =
  | { readonly kind: 'binary'; readonly begin: Buffer }
  | { readonly kind: 'past' }
  /** At least the range, or as much of it as may be shown and more. */
  | { readonly kind: 'found'; readonly bytes: Buffer; readonly ended: boolean };

async function scan(file: FileHandle, { offset, limit }: Range, signal: AbortSignal): Promise<Scan> {
  const kept: Buffer[] = [];
  let size = 0;
  let ahead = offset - 1;
  let wanted = limit;
  let ended = false;
  for (let at = 0; wanted > 0 && size <= maxReadBytes && !ended; ) {
    const piece = await readPiece(file, at, signal);
    ended = piece.length === 0;
    if (piece.includes(0)) return { kind: 'binary', begin: at === 0 ? piece : Buffer.alloc(0) };
    at += piece.length;
    const skipped = skipLines(piece, ahead);
    ahead -= skipped.lines;
    if (ahead > 0) continue;
    const taken = skipLines(piece.subarray(skipped.bytes), wanted);
    wanted -= taken.lines;
    kept.push(piece.subarray(skipped.bytes, skipped.bytes + taken.bytes));
    size += taken.bytes;
  }
  return size === 0 ? { kind: 'past' } : { kind: 'found', bytes: Buffer.concat(kept), ended };
}

async function readPiece(file: FileHandle, at: number, signal: AbortSignal): Promise<Buffer> {
  signal.throwIfAborted();
  const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(maxReadBytes), 0, maxReadBytes, at);
  return buffer.subarray(0, bytesRead);
}

/** How many of the next `count` line endings `piece` holds, and the bytes up to the last of them; all if there are fewer. */
function skipLines(piece: Buffer, count: number): { readonly lines: number; readonly bytes: number } {
  let bytes = 0;
  for (let lines = 0; lines < count; lines += 1) {
    const end = piece.indexOf(10, bytes);
    if (end < 0) return { lines, bytes: piece.length };
    bytes = end + 1;
  }
  return { lines: count, bytes };
}

function answer(path: string, size: number, { offset }: Range, found: Scan): ToolResult {
  if (found.kind === 'binary') return failed(`${binary(path, found.begin, size).message} Only text can be read.`);
  if (found.kind === 'past') return failed(`${path} has fewer than ${offset} lines.`);
  const { bytes, inside } = wholeLines(found.bytes);
  const decoded = bytes.toString('utf8');
  const text = toLf(inside ? decoded.replace(/\uFFFD$/, '') : decoded);
  const last = offset + countLines(text) - 1;
  const ended = found.ended && bytes === found.bytes;
  const on = inside ? longLine(offset) : ended ? 'its end' : `go on with offset ${last + 1}`;
  const head = `${path} lines ${offset}-${last} (${bytesText(size)} in all, its lines are not counted; ${on})`;
  return { outcome: 'ok', body: { kind: 'text', text }, head };
}

/** As many whole lines as may be shown; `inside` when not even the first is whole. */
function wholeLines(bytes: Buffer): { readonly bytes: Buffer; readonly inside: boolean } {
  if (bytes.length <= maxReadBytes) return { bytes, inside: false };
  const end = bytes.lastIndexOf(10, maxReadBytes - 1) + 1;
  return end > 0
    ? { bytes: bytes.subarray(0, end), inside: false }
    : { bytes: bytes.subarray(0, maxReadBytes), inside: true };
}
