/**
 * The alphabet of the index: every byte becomes one of 128 symbols. ASCII letters lose their case, and bytes from 0x80 on
 * share the codes that text does not use. Invariant: equal bytes give equal symbols, and so do the two cases of an ASCII
 * letter; different bytes may share one, which costs a candidate and never a match. A text with one of the two characters
 * whose small letter is ASCII, the long s and the Kelvin sign, is indexed twice: as it stands, and with that letter.
 */

/** Changes whenever the table does: an index of another version is built anew. */
export const foldVersion = 2;

export const keyBits = 21;
export const keySpace = 1 << keyBits;

/** No trigram holds it: lines are matched one by one. */
export const newlineSymbol = 0;

export const symbolOf: Uint8Array = makeTable();

function makeTable(): Uint8Array {
  const table = new Uint8Array(256);
  const free: number[] = [];
  for (let byte = 0; byte < 128; byte += 1) {
    const isUpper = byte >= 0x41 && byte <= 0x5a;
    const isText = byte >= 0x20 && byte < 0x7f && !isUpper;
    if (isText || byte === 0x09 || byte === 0x0d) table[byte] = byte;
    else if (isUpper) table[byte] = byte + 0x20;
    // Other control characters share one symbol; the newline keeps 0 for itself.
    else table[byte] = byte === 0x0a ? newlineSymbol : 1;
    if (!isText && byte > 1 && byte !== 0x09 && byte !== 0x0d) free.push(byte);
  }
  for (let byte = 128; byte < 256; byte += 1) table[byte] = free[byte % free.length] ?? 1;
  return table;
}

/** The symbols of a text as a string of characters below 128. */
export function symbolsOf(text: string): string {
  let symbols = '';
  for (const byte of utf8(text)) symbols += String.fromCharCode(symbolOf[byte] ?? 1);
  return symbols;
}

/** The key of the trigram that begins at `at`. */
export function keyAt(symbols: string, at: number): number {
  return (symbols.charCodeAt(at) << 14) | (symbols.charCodeAt(at + 1) << 7) | symbols.charCodeAt(at + 2);
}

/** Core knows no TextEncoder: it has no platform. */
export function utf8(text: string): number[] {
  const bytes: number[] = [];
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    if (code < 0x80) bytes.push(code);
    else if (code < 0x800) bytes.push(0xc0 | (code >> 6), 0x80 | (code & 63));
    else if (code < 0x10000) bytes.push(0xe0 | (code >> 12), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63));
    else bytes.push(0xf0 | (code >> 18), 0x80 | ((code >> 12) & 63), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63));
  }
  return bytes;
}
