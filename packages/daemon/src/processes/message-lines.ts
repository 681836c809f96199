/**
 * Splits ripgrep's stream of JSON lines. Invariant: memory is bounded by `limit` whatever a line holds. Of a longer line
 * only its beginning and what follows the matched text are kept.
 */

export interface MessageSink {
  line(line: Buffer): void;
  /** A match in a line too long to hold: the message's beginning, and its part from `"line_number"` on. */
  giant(start: Buffer, facts: Buffer): void;
}

/** Longer messages are read only in part. */
export const messageLimit = 8 * 1_048_576;

const newline = 0x0a;
const startBytes = 8_192;
const factsBytes = 4_096;
/** Inside a JSON string the quotes would be escaped: this occurs only between the message's own fields. */
const factsBegin = Buffer.from(',"line_number":');

export function createMessageLines(sink: MessageSink, limit = messageLimit): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let size = 0;
  let giant: Giant | undefined;

  function take(part: Buffer): void {
    size += part.length;
    if (giant === undefined && size <= limit) {
      parts.push(part);
      return;
    }
    giant ??= giantOf(parts);
    giant.take(part);
    parts = [];
  }

  function end(): void {
    if (giant !== undefined) sink.giant(giant.start(), giant.facts());
    else if (size > 0) sink.line(parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts));
    parts = [];
    size = 0;
    giant = undefined;
  }

  return (chunk) => {
    let at = 0;
    for (let next = chunk.indexOf(newline); next >= 0; next = chunk.indexOf(newline, at)) {
      take(chunk.subarray(at, next));
      end();
      at = next + 1;
    }
    if (at < chunk.length) take(chunk.subarray(at));
  };
}

function giantOf(parts: readonly Buffer[]): Giant {
  const giant = createGiant();
  for (const part of parts) giant.take(part);
  return giant;
}

interface Giant {
  take(part: Buffer): void;
  start(): Buffer;
  facts(): Buffer;
}

function createGiant(): Giant {
  let start = Buffer.alloc(0);
  let overlap = Buffer.alloc(0);
  let facts: Buffer | undefined;

  function take(part: Buffer): void {
    if (start.length < startBytes) start = Buffer.concat([start, part.subarray(0, startBytes - start.length)]);
    if (facts !== undefined) {
      if (facts.length < factsBytes) facts = Buffer.concat([facts, part.subarray(0, factsBytes - facts.length)]);
      return;
    }
    const seen = Buffer.concat([overlap, part]);
    const found = seen.indexOf(factsBegin);
    if (found >= 0) facts = Buffer.from(seen.subarray(found, found + factsBytes));
    overlap = Buffer.from(seen.subarray(-factsBegin.length));
  }

  return { take, start: () => start, facts: () => facts ?? Buffer.alloc(0) };
}
