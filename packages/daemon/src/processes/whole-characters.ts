/** Cuts bytes of UTF-8 between characters. Bytes that are no UTF-8 stay as they are. */

/** Without a character that is cut at the end. */
export function withoutBrokenEnd(bytes: Buffer): Buffer {
  for (let back = 1; back <= Math.min(4, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return bytes;
    if (byte >= 0xc0) return back < sizeFrom(byte) ? bytes.subarray(0, bytes.length - back) : bytes;
  }
  return bytes;
}

/** Bytes of the character that begins with `first`. */
function sizeFrom(first: number): number {
  return first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
}

/** Without the rest of a character that was cut before it. */
export function withoutBrokenStart(bytes: Buffer): Buffer {
  let start = 0;
  while (start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return bytes.subarray(start);
}

/** Without a character that is cut at the end, unless nothing would be left. */
export function wholeCharacters(bytes: Buffer): Buffer {
  const whole = withoutBrokenEnd(bytes);
  return whole.length === 0 ? bytes : whole;
}
