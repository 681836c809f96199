/** Archived bodies, a bounded range at a time: as text, cut between characters, or byte for byte. */
import { open } from 'node:fs/promises';
import { ZerdError } from '@zerd/protocol/common/errors';
import type { Handlers } from '../dispatch.ts';
import type { House } from '../house.ts';

/** Bytes of one answer; the rest is read from `offset + bytes`. */
const mostBytes = 1024 * 1024;

export function archiveHandlers({ store }: House): Pick<Handlers, 'archive/read'> {
  return {
    async 'archive/read'({ archiveId, offset = 0, limit = mostBytes, as = 'text' }) {
      const found = await store.archive.locate(archiveId);
      if (!found) throw new ZerdError('unknown_archive', `Nothing is archived under ${archiveId}.`);
      const bytes = await readRange(found.file, offset, Math.min(limit, mostBytes));
      const place = { offset, totalBytes: found.bytes };
      if (as === 'base64') return { text: '', base64: bytes.toString('base64'), bytes: bytes.length, ...place };
      const whole = offset + bytes.length >= found.bytes ? bytes : wholeCharacters(bytes);
      return { text: whole.toString('utf8'), bytes: whole.length, ...place };
    },
  };
}

async function readRange(file: string, offset: number, length: number): Promise<Buffer> {
  const handle = await open(file, 'r');
  try {
    const buffer = Buffer.alloc(length);
    const { bytesRead } = await handle.read(buffer, 0, length, offset);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** Without a UTF-8 character that was cut at the end, unless nothing would be left. */
function wholeCharacters(bytes: Buffer): Buffer {
  const isContinuation = (byte: number) => (byte & 0xc0) === 0x80;
  let start = bytes.length - 1;
  while (start > bytes.length - 4 && start > 0 && isContinuation(bytes[start] ?? 0)) start -= 1;
  const lead = bytes[start] ?? 0;
  const needs = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  return start > 0 && bytes.length - start < needs ? bytes.subarray(0, start) : bytes;
}
