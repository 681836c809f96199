/**
 * Sizes and cuts of text in UTF-8 bytes. Invariant: whatever comes out is well-formed when what went in was, and a cut
 * never falls inside a character or a surrogate pair.
 */

/** Bytes of `text` in UTF-8. A lone surrogate counts 3, as the replacement character does. */
export function utf8Length(text: string): number {
  let bytes = 0;
  for (let i = 0; i < text.length; i += 1) {
    const size = sizeAt(text, i);
    bytes += size;
    if (size === 4) i += 1;
  }
  return bytes;
}

/** `text` with every lone surrogate replaced by U+FFFD. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\uFFFD');
}

export function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}

/** The longest beginning of `text` that takes at most `maxBytes`. */
export function clipUtf8(text: string, maxBytes: number): string {
  // No UTF-16 unit takes more than three bytes.
  if (text.length * 3 <= maxBytes) return text;
  let bytes = 0;
  for (let i = 0; i < text.length; i += 1) {
    const size = sizeAt(text, i);
    bytes += size;
    if (bytes > maxBytes) return text.slice(0, i);
    if (size === 4) i += 1;
  }
  return text;
}

/** The longest end of `text` that takes at most `maxBytes`. */
export function clipUtf8End(text: string, maxBytes: number): string {
  if (text.length * 3 <= maxBytes) return text;
  let bytes = 0;
  for (let i = text.length; i > 0; i -= 1) {
    const start = i >= 2 && sizeAt(text, i - 2) === 4 ? i - 2 : i - 1;
    bytes += sizeAt(text, start);
    if (bytes > maxBytes) return text.slice(i);
    if (start === i - 2) i -= 1;
  }
  return text;
}

/** Bytes of the character that starts at `i`: 4 means that it takes two UTF-16 units. */
function sizeAt(text: string, i: number): 1 | 2 | 3 | 4 {
  const unit = text.charCodeAt(i);
  if (unit < 0x80) return 1;
  if (unit < 0x800) return 2;
  const pair = unit >= 0xd800 && unit < 0xdc00 && isLow(text.charCodeAt(i + 1));
  return pair ? 4 : 3;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}
