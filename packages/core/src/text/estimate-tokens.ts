/**
 * Estimates the tokens of a text without a tokenizer. It is cut into pieces as the encodings in use cut before they merge
 * (words with the sign in front, digits in threes, runs of signs, white space), and most pieces are one token. Within a
 * few percent of o200k for code, prose and JSON; what other encodings differ by is a factor, which reported usage tells.
 */

const piece =
  /[^\r\n\p{L}\p{N}]?(?:\p{Lu}*[\p{Ll}\p{M}]+|\p{Lu}+|[\p{L}\p{M}]+)|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+/gu;

/** Of a long text a beginning, a middle and an end are looked at. */
export function estimateTokens(text: string): number {
  if (text.length <= 3 * sample) return count(text);
  const middle = Math.floor((text.length - sample) / 2);
  const parts = [text.slice(0, sample), text.slice(middle, middle + sample), text.slice(-sample)];
  return (parts.reduce((sum, part) => sum + count(part), 0) * text.length) / (3 * sample);
}

const sample = 2_000;

function count(text: string): number {
  let tokens = 0;
  for (const [found] of text.matchAll(piece)) tokens += tokensOfPiece(found);
  return tokens;
}

function tokensOfPiece(found: string): number {
  const last = found.charCodeAt(found.length - 1);
  if (last > 127) return foreign(found, last);
  if (isCapital(last) || isSmall(last)) return word(found, last);
  if (last >= 48 && last <= 57) return 1;
  return last <= 32 && found.trim() === '' ? Math.ceil(found.length / wholeSpace) : signs(found);
}

/**
 * A word behind a space is nearly always one token; one that begins without, as in names of two words, less often; behind
 * another sign it is often merged with neither. Several capitals before small letters are no word (measured on o200k over
 * code, logs, lock files and encoded data, 2026-11).
 */
function word(found: string, last: number): number {
  const first = found.charCodeAt(0);
  const begins = isCapital(first) || isSmall(first);
  const letters = begins ? found.length : found.length - 1;
  if (isCapital(last)) return 1 + (first === space ? 0.1 : 0.22) * Math.max(0, letters - 2);
  if (letters > 2 && isCapital(found.charCodeAt(found.length - letters + 1))) return 0.6 * letters;
  if (first === space) return 1.02 + 0.05 * Math.max(0, letters - 8);
  return begins ? 1 + 0.02 * letters + 0.16 * Math.max(0, letters - 6) : 1 + 0.1 * letters;
}

/** One sign over and over takes fewer tokens than different ones. */
function signs(found: string): number {
  const more = Math.max(0, found.length - wholeRun);
  return 1 + more / (isOneSign(found) ? 30 : 3);
}

/** Tokens a character beyond Latin: of scripts that write syllables or words in one, of other letters, of signs. */
function foreign(found: string, last: number): number {
  const share = !/\p{L}|\p{M}/u.test(found) ? 0.7 : last >= firstSyllabic ? 0.6 : 0.24;
  return Math.max(1, share * found.length);
}

const space = 32;
const wholeSpace = 80;
const wholeRun = 3;
const firstSyllabic = 0x2e80;

function isOneSign(run: string): boolean {
  const middle = run.charAt(run.length >> 1);
  return run.charAt(1) === middle && run.charAt(run.length - 2) === middle;
}

function isCapital(unit: number): boolean {
  return unit >= 65 && unit <= 90;
}

function isSmall(unit: number): boolean {
  return unit >= 97 && unit <= 122;
}
