/**
 * Makes texts of a wished size out of nothing but a seed: the same seed and size, the same bytes. Every line that is
 * long enough ends with a mark that no other line has, so that edits find their place.
 */

export interface TextWish {
  /** Texts of different seeds have no marked line in common. */
  readonly seed: string;
  /** UTF-8 bytes in all, line breaks included. */
  readonly bytes: number;
  readonly lineBreaks: number;
  /** Whether it ends with a line break; so does a file, so does not a piece of one. */
  readonly closed: boolean;
}

/** Exactly so many bytes; fewer line breaks only where there is no room for them. */
export function makeText({ seed, bytes, lineBreaks, closed }: TextWish): string {
  const room = Math.max(0, Math.floor(bytes));
  const breaks = Math.min(Math.max(0, Math.floor(lineBreaks)), room);
  const count = closed && breaks > 0 ? breaks : breaks + 1;
  const lines = lineSizes(seed, room - breaks, count).map((size, i) => makeLine(size, seed, i));
  return lines.join('\n') + (closed && breaks > 0 ? '\n' : '');
}

/** A line of exactly `size` bytes. */
export function makeLine(size: number, seed: string, at: number): string {
  const mark = `${seed}.${at.toString(36)}`;
  if (size <= mark.length + 2) return size > 3 ? mark.slice(-size).padStart(size, '-') : 'a'.repeat(size);
  const random = randomOf(`${seed} ${at}`);
  const indent = ' '.repeat(Math.min(2 * Math.floor(random() * 5), size - mark.length - 2));
  let line = indent;
  let used = indent.length;
  for (;;) {
    const word = wordOf(random);
    const wordBytes = Buffer.byteLength(word) + 1;
    if (used + wordBytes + mark.length > size) break;
    line += `${word} `;
    used += wordBytes;
  }
  return line + '-'.repeat(size - used - mark.length) + mark;
}

/** Numbers from 0 to 1, always the same for one seed. */
export function randomOf(seed: string): () => number {
  let state = 0x811c9dc5;
  for (let i = 0; i < seed.length; i++) state = Math.imul(state ^ seed.charCodeAt(i), 0x01000193);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const syllables = ['ra', 'tor', 'mel', 'vin', 'sok', 'ka', 'lum', 'ne', 'dri', 'po', 'zu', 'fen'];
/** A few words of two, three and four bytes a character, as real files have. */
const foreign = ['çelin', 'naïvor', '見本', 'größum', '🜁lum'];

function wordOf(random: () => number): string {
  if (random() < 0.02) return foreign[Math.floor(random() * foreign.length)] ?? '';
  const length = 1 + Math.floor(random() * 3);
  return Array.from({ length }, () => syllables[Math.floor(random() * syllables.length)]).join('');
}

/** Shares the bytes out among the lines: some blank, the others of uneven length. */
function lineSizes(seed: string, bytes: number, count: number): readonly number[] {
  const random = randomOf(`sizes ${seed}`);
  const weights = Array.from({ length: count }, () => (random() < 0.12 ? 0 : 0.3 + 1.6 * random()));
  // The last line takes what rounding leaves, so it is never blank.
  weights[count - 1] = 1;
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const sizes = weights.map((weight) => Math.floor((weight / total) * bytes));
  const given = sizes.reduce((sum, size) => sum + size, 0);
  sizes[count - 1] = (sizes[count - 1] ?? 0) + bytes - given;
  return sizes;
}
