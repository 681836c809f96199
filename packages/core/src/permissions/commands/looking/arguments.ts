/** Reads options as getopt does, of a program whose options are listed. */

export interface Options {
  /** Letters of options without a value; several may stand behind one dash. */
  readonly flags?: string;
  /** Letters of options that must have a value, in the same word or in the next. */
  readonly values?: string;
  /** Letters of options that may have a value, in the same word only. */
  readonly attached?: string;
  /** `--name`; `--name=` takes a value in the same word; `--name:` takes one there or in the next. */
  readonly long?: readonly string[];
  /** `-20` for a number of lines. */
  readonly numbers?: boolean;
}

export interface Arguments {
  readonly operands: readonly string[];
  /** Those that were given, without dashes and values. */
  readonly options: ReadonlySet<string>;
}

/** Undefined: one of them is not listed, or shortened. */
export function readArguments(known: Options, given: readonly string[]): Arguments | undefined {
  const operands: string[] = [];
  const options = new Set<string>();
  for (let n = 0; n < given.length; n += 1) {
    const word = given[n] ?? '';
    if (word === '--') return { operands: [...operands, ...given.slice(n + 1)], options };
    if (word === '-' || !word.startsWith('-')) {
      operands.push(word);
      continue;
    }
    const option = word.startsWith('--') ? longOption(known, word) : shortOptions(known, word);
    if (option === undefined) return undefined;
    for (const name of option.names) options.add(name);
    if (option.takesNext) n += 1;
    if (option.takesNext && !isValue(given[n])) return undefined;
  }
  return { operands, options };
}

/** Nothing that the program could take for an option, should the value be missing. */
function isValue(word: string | undefined): boolean {
  return word !== undefined && (!word.startsWith('-') || /^-\d+$/.test(word));
}

interface Option {
  readonly names: readonly string[];
  readonly takesNext: boolean;
}

function longOption({ long = [] }: Options, word: string): Option | undefined {
  const [name = ''] = word.split('=', 1);
  const names = [name.slice(2)];
  if (word.includes('='))
    return long.includes(`${name}=`) || long.includes(`${name}:`) ? { names, takesNext: false } : undefined;
  if (long.includes(name)) return { names, takesNext: false };
  return long.includes(`${name}:`) ? { names, takesNext: true } : undefined;
}

function shortOptions(
  { flags = '', values = '', attached = '', numbers = false }: Options,
  word: string,
): Option | undefined {
  if (numbers && /^-\d+$/.test(word)) return { names: [], takesNext: false };
  const names: string[] = [];
  for (let at = 1; at < word.length; at += 1) {
    const letter = word[at] ?? '';
    names.push(letter);
    if (values.includes(letter)) return { names, takesNext: at === word.length - 1 };
    if (attached.includes(letter)) break;
    if (!flags.includes(letter)) return undefined;
  }
  return { names, takesNext: false };
}
