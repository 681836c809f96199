/** Keeps the end of what a server complains of, and drops the rest: some write for as long as they live. */

const mostBytes = 4 * 1024;

export interface Tail {
  add(chunk: Buffer): void;
  text(): string;
}

export function createTail(): Tail {
  let kept = Buffer.alloc(0);
  return {
    add(chunk) {
      // A copy: a slice would hold the whole of it.
      kept = Buffer.from(Buffer.concat([kept, chunk.subarray(-mostBytes)]).subarray(-mostBytes));
    },
    text: () => kept.toString('utf8').trim(),
  };
}
