/**
 * Recognises shell commands that do nothing but show lines of one file. Conservative: what is not surely understood is
 * not recognised, and whoever uses the answer compares the output with the file before believing it.
 */

export interface ShellRead {
  readonly path: string;
  /** The lines that are shown. */
  readonly lines:
    | { readonly kind: 'range'; readonly first: number; readonly last: number | undefined }
    | { readonly kind: 'end'; readonly count: number };
  /** What goes in front of a line: nothing, its number, or its number among the lines that are not blank. */
  readonly numbers: 'none' | 'all' | 'nonBlank';
}

export function parseShellRead(command: string): ShellRead | undefined {
  const parts = wordsOf(command.trim());
  if (parts === undefined || parts.length > 2) return undefined;
  const [source, filter] = parts;
  const shown = source && sourceOf(source);
  return filter === undefined || shown === undefined ? shown : narrowed(shown, filter);
}

/** The words of the commands of a pipe; undefined: something that only a shell understands. */
function wordsOf(command: string): readonly (readonly string[])[] | undefined {
  const parts: string[][] = [[]];
  const token = /\s*(?:(\|)(?!\|)|'([^'\n]*)'|"([^"\\$`\n!]*)"|([^\s'"\\$`|&;<>(){}[\]*?!#~\n]+))(?=\s|\||$)/y;
  while (token.lastIndex < command.length) {
    const match = token.exec(command);
    if (match === null) return undefined;
    const word = match[2] ?? match[3] ?? match[4];
    if (match[1] === '|') parts.push([]);
    else if (word !== undefined) parts.at(-1)?.push(word);
  }
  return parts;
}

const everything = { kind: 'range', first: 1, last: undefined } as const;

function sourceOf([program = '', ...args]: readonly string[]): ShellRead | undefined {
  const path = args.at(-1);
  const options = args.slice(0, -1);
  if (path === undefined || path === '' || path.startsWith('-')) return undefined;
  if (program === 'cat' || program === 'nl') {
    const numbers = numbersOf(program, options);
    return numbers && { path, lines: everything, numbers };
  }
  const lines = linesBy(program, options);
  return lines && { path, lines, numbers: 'none' };
}

function numbersOf(program: string, options: readonly string[]): ShellRead['numbers'] | undefined {
  const given = options.join(' ');
  if (program === 'cat') return given === '' ? 'none' : given === '-n' ? 'all' : undefined;
  return given === '' ? 'nonBlank' : given === '-ba' || given === '-b a' ? 'all' : undefined;
}

function linesBy(program: string, options: readonly string[]): ShellRead['lines'] | undefined {
  const given = options.join(' ');
  if (program === 'sed') return sedLines(/^-n (?:-e )?(.+)$/.exec(given)?.[1] ?? '');
  if (program !== 'head' && program !== 'tail') return undefined;
  const [, sign = '', digits] = /^(?:-n ?|--lines[= ]|-)(\+?)(\d+)$/.exec(given) ?? [];
  if (given !== '' && digits === undefined) return undefined;
  const count = digits === undefined ? 10 : Number(digits);
  if (count < 1) return undefined;
  if (program === 'head') return sign === '' ? { kind: 'range', first: 1, last: count } : undefined;
  return sign === '+' ? { kind: 'range', first: count, last: undefined } : { kind: 'end', count };
}

/** `40,80p`, `40p`, `40,$p` */
function sedLines(script: string): ShellRead['lines'] | undefined {
  const [, first, last] = /^(\d+)(?:,(\d+|\$))?p$/.exec(script) ?? [];
  if (first === undefined || Number(first) < 1) return undefined;
  if (last === '$') return { kind: 'range', first: Number(first), last: undefined };
  return { kind: 'range', first: Number(first), last: Math.max(Number(first), Number(last ?? first)) };
}

/** `nl -ba a.ts | sed -n '40,80p'` */
function narrowed(shown: ShellRead, [program = '', ...args]: readonly string[]): ShellRead | undefined {
  const lines = linesBy(program, args);
  const whole = shown.lines.kind === 'range' && shown.lines.first === 1 && shown.lines.last === undefined;
  return whole && lines !== undefined ? { ...shown, lines } : undefined;
}

export interface ShownRows {
  readonly first: number;
  readonly rows: readonly string[];
}

/** What the command shows of a file that has these lines. */
export function rowsOfShellRead({ lines, numbers }: ShellRead, text: readonly string[]): ShownRows {
  const first = lines.kind === 'end' ? Math.max(1, text.length - lines.count + 1) : lines.first;
  const last = lines.kind === 'end' ? text.length : Math.min(lines.last ?? text.length, text.length);
  if (numbers === 'none') return { first, rows: text.slice(first - 1, last) };
  return { first, rows: withNumbers(text, numbers).slice(first - 1, last) };
}

function withNumbers(text: readonly string[], numbers: ShellRead['numbers']): readonly string[] {
  let number = 0;
  return text.map((line) => {
    if (numbers === 'nonBlank' && line === '') return ' '.repeat(7);
    number += 1;
    return `${String(number).padStart(6)}\t${line}`;
  });
}
