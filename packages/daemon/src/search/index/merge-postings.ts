/**
 * Merges spills and older segments into the postings of a new segment, list by list. Invariant: documents keep their
 * order, so every list stays ascending; memory is bounded by the tables of keys.
 */
import { packPostings } from '@zerd/core/search/postings';
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
  let buffer = Buffer.allocUnsafeSlow(1_048_576);
  let docs = new Uint32Array(65_536);
  let read = new Uint32Array(65_536);
  let [filled, flushed, count] = [0, 0, 0];

  function flush(): void {
    if (filled > 0) write(buffer.subarray(0, filled));
    flushed += filled;
    filled = 0;
    // Ends are kept in 32 bits.
    if (flushed > 0xf0000000) throw new RangeError('the index would be larger than 4 GB');
  }

  function makeRoom(more: number): void {
    if (count + more <= docs.length) return;
    const larger = new Uint32Array(2 * (count + more));
    larger.set(docs.subarray(0, count));
    docs = larger;
  }

  return {
    append({ stream, base, numbers }: MergeSource, list: number): void {
      const bytes = stream.next(stream.ends[list] as number);
      if (2 * bytes.length > read.length) read = new Uint32Array(4 * bytes.length);
      const found = stream.decode(bytes, read);
      makeRoom(found);
      for (let n = 0; n < found; n += 1) {
        const doc = read[n] as number;
        const moved = numbers === undefined ? base + doc : (numbers[doc] ?? gone);
        if (moved === gone) continue;
        docs[count] = moved;
        count += 1;
      }
    },
    endList() {
      const most = 6 * count + 1;
      if (filled + most > buffer.length) flush();
      if (most > buffer.length) buffer = Buffer.allocUnsafeSlow(2 * most);
      filled = packPostings(docs, count, buffer, filled);
      count = 0;
    },
    position: () => flushed + filled,
    flush,
  };
}
