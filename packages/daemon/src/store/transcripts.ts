/**
 * Keeps what compactions replaced, as people read it: the events of a session as JSON lines in
 * `<folder>/<session>.jsonl`, private to the user. Invariant: each event once and in order, also when a compaction is
 * tried again; the log stays the truth, and losing these files loses nothing.
 */
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { LoggedEvent } from '@zerd/protocol/common/event';
import type { SessionId } from '@zerd/protocol/common/ids';
import type { Transcripts } from '../base/ports.ts';
import { storeFailed } from './failure.ts';
import { makePrivateFolder } from './folder.ts';

/** The folder is made with the first file. */
export function openTranscripts(folder: string): Transcripts {
  return {
    async append(sessionId, events) {
      const file = join(folder, `${sessionId}.jsonl`);
      try {
        await makePrivateFolder(folder);
        await appendTo(file, sessionId, events);
      } catch (error) {
        throw storeFailed(`The transcript ${file} cannot be written`, error, 'The conversation stands as it was.');
      }
    },
  };
}

async function appendTo(file: string, sessionId: SessionId, events: readonly LoggedEvent[]): Promise<void> {
  const handle = await open(file, 'a+', 0o600);
  try {
    const { size } = await handle.stat();
    const tail = await readTail(handle, size);
    const last = lastSeq(tail);
    const lines = events
      .filter(({ seq }) => seq > last)
      .map(({ seq, at, event }) => `${JSON.stringify({ sessionId, seq, at, event })}\n`);
    // A line that a crash cut short ends here.
    const mend = tail === '' || tail.endsWith('\n') ? '' : '\n';
    await handle.appendFile(mend + lines.join(''));
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The last whole line lies within this of the end, unless an event is larger: then it may be told twice. */
const tailBytes = 4 * 1024 * 1024;

async function readTail(handle: Awaited<ReturnType<typeof open>>, size: number): Promise<string> {
  const length = Math.min(size, tailBytes);
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await handle.read(buffer, 0, length, size - length);
  return buffer.subarray(0, bytesRead).toString('utf8');
}

function lastSeq(tail: string): number {
  const whole = tail.slice(0, tail.lastIndexOf('\n') + 1).trimEnd();
  const line = whole.slice(whole.lastIndexOf('\n') + 1);
  const [, seq] = /^\{"sessionId":"[^"]*","seq":(\d+),/.exec(line) ?? [];
  return Number(seq ?? 0);
}
