/**
 * Says when an edit is not safe in a file whose 8-bit encoding is unknown. ASCII is the same in all of them, with one
 * trap: in some (GB18030, Shift-JIS, Big5) an ASCII byte may be the second half of a character.
 */
import { isAscii } from '../../files/encoding.ts';

const unknown = 'it is not UTF-8 and its encoding is unknown';

/** Undefined: safe. `text` holds one character for each byte of the file. */
export function unsafeIn(
  text: string,
  wish: { readonly old: string; readonly new: string },
  matches: readonly { readonly start: number }[],
): string | undefined {
  // UTF-8 that was found in the file is UTF-8 there, whatever else the file holds.
  if (isAscii(wish.old) && !isAscii(wish.new)) {
    return `${unknown}, so only ASCII can be written into it. Use ASCII in \`new\`, or convert the file first (iconv).`;
  }
  if (matches.some(({ start }) => mayBeSecondHalf(text, start))) {
    return `${unknown}: where \`old\` begins may be the middle of a character. Begin \`old\` after an ASCII character.`;
  }
  return undefined;
}

/** Second bytes of two go from 0x30 (GB18030) to 0x7e. */
function mayBeSecondHalf(text: string, start: number): boolean {
  const first = text.charCodeAt(start);
  return start > 0 && text.charCodeAt(start - 1) >= 0x80 && first >= 0x30 && first <= 0x7e;
}
