/** Looks for ASCII texts in any case. Invariant: another character whose small letter is ASCII is not seen. */
import type { TextSearch } from './text-search.ts';

/** So much is made a string at a time: larger ones cost new memory. */
const pieceOfText = 32_768;

export function createFoldedSearch(texts: readonly string[]): TextSearch {
  // Without the flag `u` no other letter of latin1 is of the same kind as one of ASCII.
  const regex = new RegExp(texts.map(escaped).join('|'), 'gi');
  const overlap = Math.max(...texts.map(({ length }) => length)) - 1;
  return (bytes) => {
    let [base, text] = [0, ''];
    return (from) => {
      for (let at = from; at < bytes.length; at = base + pieceOfText) {
        if (text === '' || at >= base + pieceOfText) {
          base = at;
          text = bytes.toString('latin1', base, base + pieceOfText + overlap);
        }
        regex.lastIndex = at - base;
        const found = regex.exec(text);
        if (found !== null) return base + found.index;
      }
      return -1;
    };
  };
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
