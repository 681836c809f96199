/**
 * Reads what bash would run, where that is certain. Invariant: what is returned is word for word what bash makes of the
 * text; whatever could be more than plain commands (substitutions, variables, other redirections than to nowhere, a
 * control character, anything not known here) is a doubt, and a doubt is never allowed unasked (S-40, S-41, S-45).
 */

export interface SimpleCommand {
  /** The program and its arguments, quotes removed; at least one. */
  readonly words: readonly string[];
  /** Bash puts names of files in the place of some of the words. */
  readonly globs: boolean;
  /** What joins it to the one before it; a line's end is `;`. */
  readonly joinedBy: '&&' | '||' | '|' | ';';
}

const mostBytes = 10_000;
const mostCommands = 50;

/** Undefined: there is a doubt. */
export function parseCommand(text: string): readonly SimpleCommand[] | undefined {
  if (text.length > mostBytes || doubtful.test(text)) return undefined;
  const reading = startReading(text);
  while (reading.at < text.length) if (!readNext(reading)) return undefined;
  const isWhole = endCommand(reading) || !reading.expectsMore;
  return isWhole && reading.commands.length > 0 && reading.commands.length <= mostCommands
    ? reading.commands
    : undefined;
}

/** Control characters: bash has meanings of its own for some. Halves of characters: nobody knows what it gets. */
const doubtful = /(?![\n\t])[\p{Cc}\p{Cs}]/u;
const plain = /[\w./:@%+,=^-]/;
const glob = /[*?]/;
/** What bash discards, or gives back to whoever reads the output. */
const redirection = /(?:[12]?>[ \t]*\/dev\/null|&>[ \t]*\/dev\/null|2>&1|1?>&2|<[ \t]*\/dev\/null)(?=[\s;|]|&&|$)/y;
const operator = /&&|\|\|(?!\|)|\|(?![|&])|;(?!;)|\n/y;
const reserved = new Set(
  'if then else elif fi for while until do done case esac select function time coproc in !'.split(' '),
);
/** An assignment, a job (`%1`), or nothing. */
const noProgram = /^(?:[A-Za-z_]\w*\+?=|%|$)/;

interface Reading {
  readonly text: string;
  at: number;
  commands: SimpleCommand[];
  words: string[];
  globs: boolean;
  joinedBy: SimpleCommand['joinedBy'];
  /** Behind `&&`, `||` and `|` a command must come. */
  expectsMore: boolean;
}

function startReading(text: string): Reading {
  return { text, at: 0, commands: [], words: [], globs: false, joinedBy: ';', expectsMore: false };
}

/** False: a doubt. */
function readNext(reading: Reading): boolean {
  const { text, at } = reading;
  if (text[at] === ' ' || text[at] === '\t') reading.at += 1;
  else if (text.startsWith('\\\n', at)) reading.at += 2;
  else if (!skip(reading, redirection)) return readOperator(reading) ?? readWord(reading);
  return true;
}

function skip(reading: Reading, pattern: RegExp): string | undefined {
  pattern.lastIndex = reading.at;
  const found = pattern.exec(reading.text)?.[0];
  reading.at += found?.length ?? 0;
  return found;
}

/** Undefined: there is none here. */
function readOperator(reading: Reading): boolean | undefined {
  const found = skip(reading, operator);
  if (found === undefined) return undefined;
  const ended = endCommand(reading);
  const expectsMore = !ended && reading.expectsMore;
  if (found === '\n' && expectsMore) return true;
  reading.joinedBy = found === '\n' ? ';' : (found as SimpleCommand['joinedBy']);
  if (found === '\n') return true;
  reading.expectsMore = found !== ';';
  return ended;
}

/** False: there is no command to be ended. */
function endCommand(reading: Reading): boolean {
  const { words, globs, joinedBy } = reading;
  if (words.length === 0) return false;
  reading.commands.push({ words, globs, joinedBy });
  reading.words = [];
  reading.globs = false;
  reading.expectsMore = false;
  return true;
}

function readWord(reading: Reading): boolean {
  const begin = reading.at;
  let word = '';
  while (reading.at < reading.text.length && !/[\s;|&<>]/.test(reading.text[reading.at] ?? '')) {
    const piece = readPiece(reading, begin);
    if (piece === undefined) return false;
    word += piece;
  }
  // A number before a redirection is part of it.
  if (reading.at === begin || /[<>&]/.test(reading.text[reading.at] ?? '')) return isSeparate(reading, begin, word);
  return addWord(reading, word);
}

/** `a&&b` ends a word; `a>b`, `a&` and `&` alone are doubts. */
function isSeparate(reading: Reading, begin: number, word: string): boolean {
  return reading.at > begin && reading.text.startsWith('&&', reading.at) && addWord(reading, word);
}

function addWord(reading: Reading, word: string): boolean {
  const isFirst = reading.words.length === 0;
  if (isFirst && (reserved.has(word) || noProgram.test(word))) return false;
  reading.words.push(word);
  return true;
}

/** What stands at `at`, without its quotes; undefined: a doubt. */
function readPiece(reading: Reading, begin: number): string | undefined {
  const char = reading.text[reading.at] ?? '';
  if (char === "'") return readQuoted(reading);
  if (char === '"') return readDoubleQuoted(reading);
  if (char === '\\') return readEscape(reading);
  if (glob.test(char)) reading.globs = true;
  else if (!plain.test(char) && !isPlainInside(char, reading, begin)) return undefined;
  reading.at += 1;
  return char;
}

/** `HEAD~2`, `a#b`; and `!` as an argument of its own. */
function isPlainInside(char: string, { text, at, words }: Reading, begin: number): boolean {
  if (char === '~' || char === '#') return at > begin && /[\w^]/.test(text[at - 1] ?? '');
  return char === '!' && words.length > 0;
}

function readQuoted(reading: Reading): string | undefined {
  const end = reading.text.indexOf("'", reading.at + 1);
  if (end < 0) return undefined;
  const inside = reading.text.slice(reading.at + 1, end);
  reading.at = end + 1;
  return inside;
}

function readDoubleQuoted(reading: Reading): string | undefined {
  const { text } = reading;
  let inside = '';
  for (let at = reading.at + 1; at < text.length; at += 1) {
    const char = text[at] ?? '';
    if (char === '"') {
      reading.at = at + 1;
      return inside;
    }
    if (char === '$' || char === '`') return undefined;
    if (char === '\\' && text[at + 1] === '\n') return undefined;
    if (char === '\\' && /[$`"\\]/.test(text[at + 1] ?? '')) at += 1;
    inside += text[at] ?? '';
  }
  return undefined;
}

function readEscape(reading: Reading): string | undefined {
  const next = reading.text[reading.at + 1];
  if (next === undefined) return undefined;
  if (next > '~') return undefined;
  reading.at += 2;
  return next === '\n' ? '' : next;
}
