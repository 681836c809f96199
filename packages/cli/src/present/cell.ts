/** A cell of a table in columns of a terminal: how many it takes, and what is left of it where there are fewer. */

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const ascii = /^[\x20-\x7e]*$/;
/** What East Asian writing and pictures take two columns for. */
const wide =
  /\p{Emoji_Presentation}|\ufe0f|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]/u;

export function cellWidth(text: string): number {
  return ascii.test(text) ? text.length : charactersOf(text).reduce((sum, one) => sum + widthOf(one), 0);
}

/** Cut to `columns` with an ellipsis in place of what is left out: of its beginning, or of its end. */
export function cutCell(text: string, columns: number, keeps: 'begin' | 'end'): string {
  if (cellWidth(text) <= columns) return text;
  const characters = keeps === 'begin' ? charactersOf(text) : charactersOf(text).reverse();
  const kept: string[] = [];
  let left = columns - 1;
  for (const one of characters) {
    left -= widthOf(one);
    if (left < 0) break;
    kept.push(one);
  }
  return keeps === 'begin' ? `${kept.join('')}…` : `…${kept.reverse().join('')}`;
}

function charactersOf(text: string): string[] {
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

function widthOf(character: string): number {
  return wide.test(character) ? 2 : 1;
}
