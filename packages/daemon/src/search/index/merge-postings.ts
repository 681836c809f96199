/**
 * Merges spills and older segments into the postings of a new segment, list by list. Invariant: documents keep their
 * order, so every list stays ascending; memory is bounded by the tables of keys.
 */
import { writeVarint } from '@zerd/core/search/postings';
import type { PostingStream } from './posting-streams.ts';

export interface MergeSource {
  readonly stream: PostingStream;
  /** The new number of document 0, when all are kept. */
  readonly base: number;
  /** The new number of each document, ascending; `gone`: it is left out. Absent: base + number. */
  readonly numbers?: Uint32Array;
}

export const gone = 0xffffffff;

export interface MergedLists {
  readonly keys: Uint32Array;
  readonly ends: Uint32Array;
}

/** `write` gets the postings in pieces that are valid only during the call. Sources are in the order of their documents. */
export function mergePostings(sources: readonly MergeSource[], write: (bytes: Buffer) => void): MergedLists {
  const out = createListWriter(write);
  const heads = sources.map(() => 0);
  const keys: number[] = [];
  const ends: number[] = [];
  for (let key = lowestKey(sources, heads); key !== gone; key = lowestKey(sources, heads)) {
    const before = out.position();
    sources.forEach((source, i) => {
      const head = heads[i] ?? 0;
      if (source.stream.keys[head] !== key) return;
      out.append(source, head);
      heads[i] = head + 1;
    });
    out.endList();
    if (out.position() === before) continue;
    keys.push(key);
    ends.push(out.position());
  }
  out.flush();
  return { keys: Uint32Array.from(keys), ends: Uint32Array.from(ends) };
}

function lowestKey(sources: readonly MergeSource[], heads: readonly number[]): number {
  let lowest = gone;
  for (let i = 0; i < sources.length; i += 1) {
    const key = sources[i]?.stream.keys[heads[i] ?? 0] ?? gone;
    if (key < lowest) lowest = key;
  }
  return lowest;
}

function createListWriter(write: (bytes: Buffer) => void) {
  const buffer = Buffer.allocUnsafeSlow(1_048_576);
  let [filled, flushed, before] = [0, 0, 0];

  function flush(): void {
    if (filled > 0) write(buffer.subarray(0, filled));
    flushed += filled;
    filled = 0;
    // Ends are kept in 32 bits.
    if (flushed > 0xf0000000) throw new RangeError('the index would be larger than 4 GB');
  }

  function put(doc: number): void {
    if (filled + 5 > buffer.length) flush();
    filled = writeVarint(buffer, filled, doc - before);
    before = doc;
  }

  /** Only the first distance of a list changes when its documents move together. */
  function appendMoved(bytes: Uint8Array, base: number, last: number): void {
    let [first, shift, at] = [0, 0, 0];
    for (let byte = 0x80; byte >= 0x80; at += 1, shift += 7) {
      byte = bytes[at] as number;
      first |= (byte & 0x7f) << shift;
    }
    put(base + first);
    copy(bytes, at);
    before = base + last;
  }

  function copy(bytes: Uint8Array, from: number): void {
    const length = bytes.length - from;
    if (filled + length > buffer.length) flush();
    if (length > buffer.length) {
      write(Buffer.from(bytes.buffer, bytes.byteOffset + from, length));
      flushed += length;
    } else if (length > 64) {
      buffer.set(bytes.subarray(from), filled);
      filled += length;
    } else {
      for (let at = from; at < bytes.length; at += 1, filled += 1) buffer[filled] = bytes[at] as number;
    }
  }

  function appendNumbered(bytes: Uint8Array, numbers: Uint32Array): void {
    let [doc, part, shift] = [0, 0, 0];
    for (let at = 0; at < bytes.length; at += 1) {
      const byte = bytes[at] as number;
      part |= (byte & 0x7f) << shift;
      shift += 7;
      if (byte >= 0x80) continue;
      doc += part;
      const moved = numbers[doc] ?? gone;
      if (moved !== gone) put(moved);
      part = 0;
      shift = 0;
    }
  }

  return {
    append({ stream, base, numbers }: MergeSource, list: number): void {
      const bytes = stream.next(stream.ends[list] as number);
      if (numbers !== undefined) appendNumbered(bytes, numbers);
      else appendMoved(bytes, base, stream.lasts?.[list] ?? 0);
    },
    endList() {
      before = 0;
    },
    position: () => flushed + filled,
    flush,
  };
}
