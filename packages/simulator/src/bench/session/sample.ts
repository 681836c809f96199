/**
 * Finds a text that a recorded pattern matches, so that a search that found something finds something again. Only what
 * is sure is given: a sample is tried against its pattern, and none is given where it does not match.
 */

/** undefined: the pattern is beyond this. */
export function sampleOf(pattern: string): string | undefined {
  try {
    const sample = readAlternatives({ pattern: pattern.replace(/^\(\?i\)/, ''), at: 0 });
    return sample.trim() !== '' && !/[\n\r]/.test(sample) && matches(pattern, sample) ? sample : undefined;
  } catch {
    return undefined;
  }
}

export function matches(pattern: string, text: string): boolean {
  try {
    const ignoreCase = pattern.startsWith('(?i)');
    return new RegExp(ignoreCase ? pattern.slice(4) : pattern, ignoreCase ? 'i' : '').test(text);
  } catch {
    return false;
  }
}

/** Whether Rust's syntax takes it, as far as can be said without Rust: no look-around, no backreference, no stray brace. */
export function isPlainRegex(pattern: string): boolean {
  if (/\(\?(=|!|<=|<!|>)|[*+}]\+/.test(pattern)) return false;
  if (
    [...pattern.matchAll(/\\(.)/gs)].some(([, char = '']) => /[\p{L}\d_<>]/u.test(char) && !rustEscapes.includes(char))
  )
    return false;
  const outsideClasses = pattern.replace(/\\./gs, '').replace(/\[[^\]]+\]/g, '');
  if (/\{(?!\d+(,\d*)?\})|(^|[|(])[*+?{]/.test(outsideClasses.replaceAll('(?', '('))) return false;
  try {
    new RegExp(pattern.replace(/^\(\?[a-z]+\)/, ''));
    return true;
  } catch {
    return false;
  }
}

const rustEscapes = 'afnrtvxuUdDsSwWbBAzpP';

/** A path that a glob matches; `name` stands for its stars. undefined: nothing can be said. */
export function pathSample(glob: string, name: string): string | undefined {
  if (glob.startsWith('!') || glob === '') return undefined;
  const path = glob
    .replace(/\{([^,}]*)[^}]*\}/g, '$1')
    .replace(/\[!?([^\]])[^\]]*\]/g, '$1')
    .replaceAll('**/', '')
    .replaceAll('**', name)
    .replaceAll('*', name)
    .replaceAll('?', 'x');
  return path.endsWith('/') ? `${path}${name}` : path;
}

interface Reader {
  readonly pattern: string;
  at: number;
}

/** The first alternative; the others are read over. */
function readAlternatives(reader: Reader): string {
  const first = readSequence(reader);
  while (reader.pattern[reader.at] === '|') {
    reader.at += 1;
    readSequence(reader);
  }
  return first;
}

function readSequence(reader: Reader): string {
  let sample = '';
  while (reader.at < reader.pattern.length && !'|)'.includes(reader.pattern[reader.at] ?? '')) {
    const atom = readAtom(reader);
    sample += atom.repeat(readTimes(reader));
  }
  return sample;
}

function readAtom(reader: Reader): string {
  const char = reader.pattern[reader.at++] ?? '';
  switch (char) {
    case '\\':
      return readEscape(reader);
    case '[':
      return readClass(reader);
    case '(':
      return readGroup(reader);
    case '.':
      return ' ';
    case '^':
    case '$':
      return '';
    default:
      return char;
  }
}

const escapes: Readonly<Record<string, string>> = {
  s: ' ',
  S: 'x',
  d: '7',
  D: 'x',
  w: 'w',
  W: ' ',
  t: '\t',
  b: '',
  B: '',
};

function readEscape(reader: Reader): string {
  const char = reader.pattern[reader.at++] ?? '';
  return escapes[char] ?? char;
}

/** A character that the class holds: it is tried out. */
function readClass(reader: Reader): string {
  const from = reader.at - 1;
  if (reader.pattern[reader.at] === '^') reader.at += 1;
  if (reader.pattern[reader.at] === ']') reader.at += 1;
  while (reader.at < reader.pattern.length && reader.pattern[reader.at] !== ']') {
    reader.at += reader.pattern[reader.at] === '\\' ? 2 : 1;
  }
  reader.at += 1;
  const set = new RegExp(`^${reader.pattern.slice(from, reader.at)}$`);
  const one = [...'xaA7_ ."\'-/(){}[]<>=:;,#@!?*+$%&|~^`'].find((char) => set.test(char));
  if (one === undefined) throw new Error('no character of the class is known');
  return one;
}

function readGroup(reader: Reader): string {
  if (reader.pattern[reader.at] === '?') {
    const head = /^\?(:|P?<\w+>)/.exec(reader.pattern.slice(reader.at));
    if (head === null) throw new Error('a group of another kind');
    reader.at += head[0].length;
  }
  const inside = readAlternatives(reader);
  reader.at += 1;
  return inside;
}

function readTimes(reader: Reader): number {
  const [quantifier, count] = /^(?:[*+?]|\{(\d+)(?:,\d*)?\})\??/.exec(reader.pattern.slice(reader.at)) ?? [
    '',
    undefined,
  ];
  reader.at += quantifier.length;
  if (count !== undefined) return Math.min(Number(count), 20);
  return quantifier.startsWith('*') ? 0 : 1;
}
