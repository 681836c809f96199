/**
 * Says a Rust regular expression in JavaScript, once for text that is all ASCII and once for any. Invariant: the
 * translation finds the same lines and the same beginnings of first matches, or there is none and ripgrep matches.
 */
import { type ClassItem, partsOf, type Regex } from './regex-ast.ts';

export interface Translation {
  /** For ASCII text, without the `u` flag; absent: use `unicode` there too. */
  readonly ascii?: RegexSource;
  readonly unicode: RegexSource;
  /** Depends on tables of Unicode, in which ripgrep and Node may differ for unassigned characters. */
  readonly tables: boolean;
}

export interface RegexSource {
  readonly source: string;
  readonly flags: string;
}

const word = '\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}';
const unicodeClass = { d: '\\p{Nd}', s: '\\p{White_Space}', w: word };
const asciiClass = { d: '0-9', s: '\\t\\v\\f\\r ', w: '\\w' };

type Mode = 'ascii' | 'unicode';

export function translateRegex(regex: Regex, wholeWord: boolean): Translation | undefined {
  const parts = [...partsOf(regex)];
  const folds = parts.flatMap((part) => (part.kind === 'char' || part.kind === 'class' ? [part.fold] : []));
  const fold = folds[0] ?? false;
  if (folds.some((one) => one !== fold) || parts.some(isBeyond) || mayExplode(regex)) return undefined;
  // JavaScript may find nothing within a character: between the halves of a surrogate pair.
  if (mayBeEmpty(regex)) return undefined;
  const flags = fold ? 'gi' : 'g';
  const say = (mode: Mode) => {
    const source = write(regex, mode);
    return wholeWord ? withWordEdges(source, mode) : source;
  };
  const tables = fold || wholeWord || parts.some(usesTables);
  const unicode = { source: say('unicode'), flags: `${flags}u` };
  // Without `u` the case of ASCII letters is not that of the Kelvin sign or the long s.
  if (fold && parts.some(namesMoreThanAscii)) return { unicode, tables };
  return { ascii: { source: say('ascii'), flags }, unicode, tables };
}

/** Of a class of characters, or of all others. */
export function sourcesOfClass(items: readonly ClassItem[], negated: boolean) {
  return {
    ascii: { source: classSource(items, negated, 'ascii'), flags: 'g' },
    unicode: { source: classSource(items, negated, 'unicode'), flags: 'gu' },
  };
}

function isBeyond(part: Regex): boolean {
  if (part.kind === 'opaque' || (part.kind === 'char' && part.char === '\n')) return true;
  return part.kind === 'class' && part.items.some((item) => item.kind === 'perl' && item.negated && item.name === 'w')
    ? part.items.length > 1 || part.negated
    : false;
}

/** A repetition without end within another, or of several ways at once: a backtracking matcher may need forever. */
function mayExplode(regex: Regex): boolean {
  return [...partsOf(regex)].some(
    (part) =>
      part.kind === 'repeat' &&
      part.max > 1 &&
      [...partsOf(part.part)].some(
        (inner) => (inner.kind === 'repeat' && inner.max !== inner.min) || (inner.kind === 'either' && part.max > 8),
      ),
  );
}

function mayBeEmpty(regex: Regex): boolean {
  switch (regex.kind) {
    case 'char':
    case 'class':
    case 'any':
      return false;
    case 'group':
      return mayBeEmpty(regex.part);
    case 'concat':
      return regex.parts.every(mayBeEmpty);
    case 'either':
      return regex.parts.some(mayBeEmpty);
    case 'repeat':
      return regex.min === 0 || mayBeEmpty(regex.part);
    default:
      return true;
  }
}

function usesTables(part: Regex): boolean {
  if (part.kind === 'wordEdge' || part.kind === 'noWordEdge') return true;
  return part.kind === 'class' && part.items.some((item) => item.kind === 'perl');
}

function namesMoreThanAscii(part: Regex): boolean {
  if (part.kind === 'char') return part.char.charCodeAt(0) >= 0x80;
  return part.kind === 'class' && part.items.some((item) => item.kind === 'range' && item.to >= 0x80);
}

function write(regex: Regex, mode: Mode): string {
  switch (regex.kind) {
    case 'empty':
    case 'opaque':
      return '';
    case 'char':
      return charSource(regex.char.codePointAt(0) ?? 0, mode);
    case 'class':
      return classSource(regex.items, regex.negated, mode);
    case 'any':
      return '[^\\n]';
    case 'lineStart':
      return '(?<![^\\n])';
    case 'lineEnd':
      return '(?![^\\n])';
    case 'wordEdge':
      return edgeSource(mode, false);
    case 'noWordEdge':
      return edgeSource(mode, true);
    case 'group':
      return `(?:${write(regex.part, mode)})`;
    case 'concat':
      return regex.parts.map((part) => (part.kind === 'either' ? grouped(part, mode) : write(part, mode))).join('');
    case 'either':
      return regex.parts.map((part) => write(part, mode)).join('|');
    case 'repeat':
      return `${grouped(regex.part, mode)}${rangeSource(regex.min, regex.max)}`;
  }
}

function grouped(part: Regex, mode: Mode): string {
  const source = write(part, mode);
  const isOne = part.kind === 'char' || part.kind === 'any' || part.kind === 'group' || /^\[[^\]]*\]$/.test(source);
  return isOne ? source : `(?:${source})`;
}

function rangeSource(min: number, max: number): string {
  if (max === Infinity) return min === 0 ? '*' : min === 1 ? '+' : `{${min},}`;
  return min === 0 && max === 1 ? '?' : `{${min},${max}}`;
}

function charSource(code: number, mode: Mode): string {
  if (code >= 0x80 && mode === 'ascii') return '[^\\s\\S]';
  return memberSource(code);
}

function memberSource(code: number): string {
  const char = String.fromCodePoint(code);
  if (/[A-Za-z0-9_ ]/.test(char)) return char;
  if (code < 0x80) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`;
}

/** No class of ripgrep holds a newline when lines are matched one by one. */
function classSource(items: readonly ClassItem[], negated: boolean, mode: Mode): string {
  const [first] = items;
  if (items.length === 1 && first?.kind === 'perl') return perlSource(first.name, first.negated !== negated, mode);
  const members = items.map((item) => itemSource(item, mode)).join('');
  if (negated) return `[^${members}\\n]`;
  return items.some(mayHoldNewline) ? `(?!\\n)[${members}]` : `[${members}]`;
}

function mayHoldNewline(item: ClassItem): boolean {
  if (item.kind === 'perl') return item.negated || item.name === 's';
  return item.from <= 0x0a && item.to >= 0x0a;
}

function perlSource(name: 'd' | 's' | 'w', negated: boolean, mode: Mode): string {
  const members = mode === 'ascii' ? asciiClass[name] : unicodeClass[name];
  if (negated) return `[^${members}\\n]`;
  return name === 's' && mode === 'unicode' ? `(?!\\n)[${members}]` : `[${members}]`;
}

function itemSource(item: ClassItem, mode: Mode): string {
  if (item.kind === 'perl') return perlMember(item.name, item.negated, mode);
  if (mode === 'unicode') return rangeMember(item.from, item.to);
  return item.from >= 0x80 ? '' : rangeMember(item.from, Math.min(item.to, 0x7f));
}

function perlMember(name: 'd' | 's' | 'w', negated: boolean, mode: Mode): string {
  if (!negated) return mode === 'ascii' ? asciiClass[name] : unicodeClass[name];
  if (mode === 'ascii') return `\\${name.toUpperCase()}`;
  return unicodeClass[name].replace('\\p', '\\P');
}

function rangeMember(from: number, to: number): string {
  return from === to ? memberSource(from) : `${memberSource(from)}-${memberSource(to)}`;
}

function edgeSource(mode: Mode, none: boolean): string {
  if (mode === 'ascii') return none ? '\\B' : '\\b';
  const [before, after, notBefore, notAfter] = [`(?<=[${word}])`, `(?=[${word}])`, `(?<![${word}])`, `(?![${word}])`];
  if (none) return `(?:${before}${after}|${notBefore}${notAfter})`;
  return `(?:${before}${notAfter}|${notBefore}${after})`;
}

function withWordEdges(source: string, mode: Mode): string {
  const members = mode === 'ascii' ? asciiClass.w : word;
  return `(?<![${members}])(?:${source})(?![${members}])`;
}
