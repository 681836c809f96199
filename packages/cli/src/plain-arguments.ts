/**
 * Reads the command lines that nearly everybody writes, without yargs, which takes longer to load than a command to
 * begin. Invariant: what it does read it reads as arguments.ts does, and whatever is not plain (help, mistakes, repeated
 * options) it leaves to that.
 */
import type { Command } from './command.ts';
import { commands } from './command-list.ts';
import { type OptionName, options } from './options.ts';

export interface PlainArguments {
  readonly command: Command;
  readonly args: Readonly<Record<string, unknown>>;
}

/** Undefined: not plain. */
export function plainArguments(argv: readonly string[]): PlainArguments | undefined {
  const [name, ...words] = argv;
  const command = commands.find((candidate) => candidate.name === name);
  const read = command && readWords(command, words);
  if (command === undefined || read === undefined) return undefined;
  const positionals = placeWords(command, read.words);
  if (positionals === undefined) return undefined;
  const inOrder = command.options.flatMap((option) =>
    read.values.has(option) ? [[option, read.values.get(option)]] : [],
  );
  const args = { ...positionals, ...Object.fromEntries(inOrder) };
  return command.complaint(args) === undefined ? { command, args } : undefined;
}

interface ReadWords {
  readonly words: readonly string[];
  readonly values: ReadonlyMap<OptionName, unknown>;
}

function readWords(command: Command, argv: readonly string[]): ReadWords | undefined {
  const words: string[] = [];
  const values = new Map<OptionName, unknown>();
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] ?? '';
    if (isPlainWord(word)) {
      words.push(word);
      continue;
    }
    const option = command.options.find((candidate) => word === `--${candidate}`);
    if (option === undefined || values.has(option)) return undefined;
    const value = optionValue(option, argv[at + 1]);
    if (value === undefined) return undefined;
    values.set(option, value);
    if (takesValue(option)) at += 1;
  }
  return { words, values };
}

/** A lone dash is a word. */
function isPlainWord(word: string | undefined): word is string {
  return word === '-' || (word !== undefined && word !== '' && !word.startsWith('-'));
}

function takesValue(option: OptionName): boolean {
  return !('type' in options[option] && options[option].type === 'boolean');
}

/** Undefined: not plain. */
function optionValue(option: OptionName, next: string | undefined): unknown {
  const declared = options[option];
  if ('choices' in declared) return declared.choices.find((choice) => choice === next);
  switch (declared.type) {
    case 'boolean':
      return next === 'true' || next === 'false' ? undefined : true;
    case 'number':
      return /^[1-9]\d{0,8}$/.test(next ?? '') ? Number(next) : undefined;
    case 'string':
      if (!isPlainWord(next)) return undefined;
      return 'array' in declared ? [next] : next;
  }
}

/** The words under the names of the positionals; undefined: too few or too many. */
function placeWords(command: Command, words: readonly string[]): Readonly<Record<string, unknown>> | undefined {
  const declared = Object.entries(command.positionals);
  const [first] = declared;
  if (first?.[1].array === true) return { [first[0]]: words };
  const needed = declared.filter(([, { demandOption }]) => demandOption === true).length;
  if (words.length < needed || words.length > declared.length) return undefined;
  return Object.fromEntries(words.map((word, index) => [declared[index]?.[0] ?? '', word]));
}
