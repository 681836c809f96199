/**
 * Decides how well a path fits a typed word: its letters in their order, better the closer together, the nearer to the
 * file's name, and at the beginnings of words. Invariant: whatever holds the word in one piece scores higher than
 * whatever only has its letters.
 */

/** Where the file's name begins in `path`. */
export function nameStart(path: string): number {
  return path.lastIndexOf('/') + 1;
}

/** `path` and `word` are in lower case. 0: not all letters are there. */
export function scoreWord(path: string, name: number, word: string): number {
  const inName = path.indexOf(word, name);
  if (inName >= 0) return scoreInName(path, name, word, inName);
  const inPath = path.lastIndexOf(word);
  if (inPath >= 0) return isBoundary(path, inPath) ? 420 : 360;
  return scoreParts(path, name, word) || scoreLetters(path, name, word);
}

/** 'core/fold' by its parts: folders above that have the letters before the slash, a name that fits what is behind it. */
function scoreParts(path: string, name: number, word: string): number {
  const cut = word.lastIndexOf('/');
  const tail = word.slice(cut + 1);
  if (cut < 0 || tail === '' || lastOfFirstRun(path.slice(0, name), word.slice(0, cut + 1), 0) < 0) return 0;
  const score = scoreWord(path.slice(name), 0, tail);
  return score === 0 ? 0 : 290 + Math.round((60 * score) / 1_000);
}

function scoreInName(path: string, name: number, word: string, at: number): number {
  const rest = path.length - name - word.length;
  if (at === name && rest === 0) return 1_000;
  if (at === name && path.charCodeAt(at + word.length) === dot) return 900;
  if (at === name) return 800;
  // The word may stand a second time, and better.
  for (let next = at; next >= 0; next = path.indexOf(word, next + 1)) if (isBoundary(path, next)) return 600;
  return 500;
}

const dot = 46;
const slash = 47;

/** At most 281. */
function scoreLetters(path: string, name: number, word: string): number {
  const end = lastOfFirstRun(path, word, name);
  if (end >= 0) return 60 + spanScore(path, word, end);
  const anywhere = lastOfFirstRun(path, word, 0);
  return anywhere < 0 ? 0 : spanScore(path, word, anywhere);
}

/** Where the letters, each taken as early as possible from `from` on, end; -1: they are not all there. */
function lastOfFirstRun(path: string, word: string, from: number): number {
  let at = from - 1;
  for (let i = 0; i < word.length; i += 1) {
    at = path.indexOf(word.charAt(i), at + 1);
    if (at < 0) return -1;
  }
  return at;
}

/** From the end backwards each letter is as near as it can be; at most 240. */
function spanScore(path: string, word: string, end: number): number {
  let bonus = 0;
  let at = end + 1;
  let before = -1;
  for (let i = word.length - 1; i >= 0; i -= 1) {
    before = at;
    at = path.lastIndexOf(word.charAt(i), at - 1);
    if (isBoundary(path, at)) bonus += 3;
    if (before === at + 1 && i < word.length - 1) bonus += 2;
  }
  const gaps = end - at + 1 - word.length;
  return 1 + Math.round((120 * bonus) / (3 * word.length)) + Math.max(0, 100 - 4 * gaps);
}

function isBoundary(path: string, at: number): boolean {
  if (at === 0) return true;
  const before = path.charCodeAt(at - 1);
  return before === slash || before === dot || before === 45 || before === 95 || before === 32;
}
