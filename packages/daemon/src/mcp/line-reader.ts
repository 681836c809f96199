/** Splits what a server writes into lines. Invariant: no more than `most` bytes are held, and a longer line is the end. */

const newline = 0x0a;

export interface LineSink {
  line(text: string): void;
  /** Once, and nothing after it. */
  tooLong(): void;
}

export function createLineReader(sink: LineSink, most: number): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let size = 0;
  let over = false;

  function end(): void {
    const text = Buffer.concat(parts).toString('utf8');
    parts = [];
    size = 0;
    if (text.trim() !== '') sink.line(text);
  }

  function take(part: Buffer): void {
    size += part.length;
    if (size <= most) parts.push(part);
    else {
      over = true;
      parts = [];
      sink.tooLong();
    }
  }

  return (chunk) => {
    let at = 0;
    for (let next = chunk.indexOf(newline); next >= 0 && !over; next = chunk.indexOf(newline, at)) {
      take(chunk.subarray(at, next));
      if (!over) end();
      at = next + 1;
    }
    if (!over && at < chunk.length) take(chunk.subarray(at));
  };
}
