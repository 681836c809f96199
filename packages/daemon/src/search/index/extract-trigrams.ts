/**
 * Collects the trigrams of blocks of text. Invariant: a block's list holds each trigram of its lines once, and memory is
 * bounded by `maxPairs` however large the text.
 */
import { keySpace, symbolOf } from '@zerd/core/search/fold';

export interface Pairs {
  /** The keys of all blocks, one block behind the other. */
  readonly keys: Uint32Array;
  /** Where each block's keys end. */
  readonly ends: readonly number[];
}

export interface BlockFacts {
  readonly newlines: number;
  readonly longest: number;
}

export interface TrigramCollector {
  /** False: there is no room for a block of so many bytes; take `pairs` and `clear` first. */
  hasRoom(bytes: number): boolean;
  /** Adds a block, and the same text in other letters; gives how many newlines it has, and its longest line. */
  add(block: Uint8Array, folded?: Uint8Array): BlockFacts;
  pairs(): Pairs;
  clear(): void;
}

export function createTrigramCollector(maxPairs: number): TrigramCollector {
  const seen = new Uint32Array(keySpace >>> 5);
  let keys = new Uint32Array(Math.min(maxPairs, 1 << 16));
  let count = 0;
  let ends: number[] = [];

  function reserve(more: number): void {
    if (count + more <= keys.length) return;
    const grown = new Uint32Array(Math.max(count + more, Math.min(2 * keys.length, maxPairs)));
    grown.set(keys.subarray(0, count));
    keys = grown;
  }

  function add(block: Uint8Array, folded?: Uint8Array): BlockFacts {
    reserve(block.length + (folded?.length ?? 0));
    const begin = count;
    const facts = collect(block);
    if (folded !== undefined) collect(folded);
    for (let i = begin; i < count; i += 1) seen[(keys[i] as number) >>> 5] = 0;
    ends.push(count);
    return facts;
  }

  /** Those that the block does not have yet. */
  function collect(bytes: Uint8Array): BlockFacts {
    let [n, key, run, newlines, longest] = [count, 0, 0, 0, 0];
    const into = keys;
    const table = symbolOf;
    for (let at = 0; at < bytes.length; at += 1) {
      const symbol = table[bytes[at] as number] as number;
      if (symbol === 0) {
        if (run > longest) longest = run;
        run = 0;
        newlines += 1;
        continue;
      }
      key = ((key << 7) | symbol) & 0x1fffff;
      run += 1;
      if (run < 3) continue;
      const bit = 1 << (key & 31);
      const word = seen[key >>> 5] as number;
      if ((word & bit) !== 0) continue;
      seen[key >>> 5] = word | bit;
      into[n] = key;
      n += 1;
    }
    count = n;
    return { newlines, longest: Math.max(longest, run) };
  }

  return {
    hasRoom: (bytes) => count === 0 || count + bytes <= maxPairs,
    add,
    pairs: () => ({ keys: keys.subarray(0, count), ends }),
    clear() {
      count = 0;
      ends = [];
    },
  };
}
