/** Sorts collected trigrams by key and writes their postings to a file of its own, to be merged into a segment. */
import { closeSync, openSync, writeSync } from 'node:fs';
import { keySpace } from '@zerd/core/search/fold';
import { writeVarint } from '@zerd/core/search/postings';
import type { Pairs } from './extract-trigrams.ts';

/** What the file ends with: keys, ends of the lists (u32 each), and these two counts. */
export const spillTail = 16;

export function writeSpill(file: string, { keys, ends }: Pairs): void {
  const starts = countKeys(keys);
  const docs = sortDocs(keys, ends, starts);
  // After sorting, each key's start has moved to its end.
  const fd = openSync(file, 'w', 0o600);
  try {
    writeLists(fd, starts, docs);
  } finally {
    closeSync(fd);
  }
}

function countKeys(keys: Uint32Array): Uint32Array {
  const starts = new Uint32Array(keySpace);
  for (let i = 0; i < keys.length; i += 1) {
    const key = keys[i] as number;
    starts[key] = (starts[key] as number) + 1;
  }
  let sum = 0;
  for (let key = 0; key < keySpace; key += 1) {
    const count = starts[key] as number;
    starts[key] = sum;
    sum += count;
  }
  return starts;
}

function sortDocs(keys: Uint32Array, ends: readonly number[], starts: Uint32Array): Uint32Array {
  const docs = new Uint32Array(keys.length);
  let at = 0;
  ends.forEach((end, doc) => {
    for (; at < end; at += 1) {
      const key = keys[at] as number;
      const place = starts[key] as number;
      docs[place] = doc;
      starts[key] = place + 1;
    }
  });
  return docs;
}

function writeLists(fd: number, ends: Uint32Array, docs: Uint32Array): void {
  const out = createOutput(fd);
  const listKeys: number[] = [];
  const listEnds: number[] = [];
  let from = 0;
  for (let key = 0; key < keySpace; key += 1) {
    const to = ends[key] as number;
    if (to === from) continue;
    out.list(docs, from, to);
    listKeys.push(key);
    listEnds.push(out.position());
    from = to;
  }
  out.flush();
  for (const column of [listKeys, listEnds]) writeAll(fd, bytesOf(Uint32Array.from(column)));
  writeAll(fd, bytesOf(Float64Array.of(listKeys.length, out.position())));
}

function createOutput(fd: number) {
  const buffer = Buffer.allocUnsafe(1_048_576);
  let [filled, flushed] = [0, 0];
  function flush(): void {
    writeAll(fd, buffer.subarray(0, filled));
    flushed += filled;
    filled = 0;
  }
  return {
    list(docs: Uint32Array, from: number, to: number): void {
      let before = 0;
      for (let i = from; i < to; i += 1) {
        if (filled + 5 > buffer.length) flush();
        const doc = docs[i] as number;
        filled = writeVarint(buffer, filled, doc - before);
        before = doc;
      }
    },
    position: () => flushed + filled,
    flush,
  };
}

export function bytesOf(array: Uint32Array | Float64Array | Uint8Array): Buffer {
  return Buffer.from(array.buffer, array.byteOffset, array.byteLength);
}

export function writeAll(fd: number, bytes: Buffer): void {
  let done = 0;
  while (done < bytes.length) done += writeSync(fd, bytes, done);
}
