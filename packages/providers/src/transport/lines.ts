/** Cuts bytes into lines at LF, CR LF or CR, wherever the chunks are cut; a byte order mark at the very start is dropped. */
const lf = 10;
const cr = 13;
const byteOrderMark = [0xef, 0xbb, 0xbf];

export interface LineSplitter {
  /** The lines that are complete now, without their ends. */
  push(chunk: Uint8Array): readonly Uint8Array[];
}

export function lineSplitter(): LineSplitter {
  let parts: Uint8Array[] = [];
  let afterCr = false;
  let first = true;

  function take(part: Uint8Array): Uint8Array {
    const line = parts.length === 0 ? part : Buffer.concat([...parts, part]);
    parts = [];
    const marked = first && byteOrderMark.every((byte, i) => line[i] === byte);
    first = false;
    return marked ? line.subarray(3) : line;
  }

  return {
    push(chunk) {
      const lines: Uint8Array[] = [];
      let start = 0;
      for (let i = 0; i < chunk.length; i += 1) {
        const byte = chunk[i];
        const secondHalf = afterCr && byte === lf;
        afterCr = byte === cr;
        if (byte !== lf && byte !== cr) continue;
        if (!secondHalf) lines.push(take(chunk.subarray(start, i)));
        start = i + 1;
      }
      if (start < chunk.length) parts.push(chunk.subarray(start));
      return lines;
    },
  };
}
