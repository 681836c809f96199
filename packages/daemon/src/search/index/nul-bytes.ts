/**
 * Says how far ripgrep searches a file that holds a NUL when it comes upon the file by itself: it goes from one filling of
 * its buffer to the next and stops before the one with the NUL (15.0.0: `grep-searcher`, `line_buffer.rs`).
 */

const newline = 0x0a;
/** Bytes of the buffer; where they hold no whole line, it grows. */
const bufferBytes = 65_536;
const growth = 3;

/** Where the lines end that are searched; 0: none is, the file counts as binary. `nul` is the place of the first one. */
export function searchedBefore(bytes: Buffer, nul: number): number {
  let [start, read, capacity] = [0, 0, bufferBytes];
  while (true) {
    const to = Math.min(start + capacity, bytes.length);
    if (nul < to || to === read) return start;
    const end = bytes.subarray(read, to).lastIndexOf(newline);
    if (end >= 0) start = read + end + 1;
    else if (to - start >= capacity) capacity *= growth;
    read = to;
  }
}
