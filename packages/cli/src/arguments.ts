/**
 * Decides what a command line means: which command with which values, a text to show, words that may follow, or a
 * refusal with a hint. Reads nothing but its arguments. The declarations are in options.ts and commands/.
 */
import { plainNumber } from '@zerd/protocol/common/plain-number';
import { zerdVersion } from '@zerd/protocol/common/version';
import yargs, { type Argv, type Options } from 'yargs';
import type { Command } from './command.ts';
import { commands } from './command-list.ts';
import { explain, notExpected } from './complaint.ts';
import { completionKey, type Following, following } from './following.ts';
import { nearest } from './nearest.ts';
import { type OptionName, options } from './options.ts';

export type Intention =
  | { readonly kind: 'perform'; readonly command: Command; readonly args: Readonly<Record<string, unknown>> }
  | { readonly kind: 'show'; readonly text: string }
  | ({ readonly kind: 'complete' } & Following)
  | { readonly kind: 'refuse'; readonly message: string; readonly hint: string };

/** `columns`: how wide a text may be that is shown. */
export function parseArguments(argv: readonly string[], columns = mostColumns): Intention {
  const width = Math.min(Math.max(columns, leastColumns), mostColumns);
  if (argv[0] === completionKey)
    return { kind: 'complete', ...following(argv.slice(2), commands, declaredWords(argv)) };
  let shown = '';
  let complaint: string | undefined;
  const words =
    argv.length === 0
      ? ['--help']
      : asksVersion(argv)
        ? ['--version']
        : argv.map((word) => (word === '-' ? dash : word));
  const values = parser(width).parseSync(words, {}, (error, _values, output) => {
    complaint = error?.message;
    shown = withoutEmptyDefaults(output);
  });
  const command = commands.find(({ name }) => name === String(values._[0]));
  if (complaint !== undefined) return refuse(explain(complaint, argv, command, values._[0]), command);
  if (shown !== '') return show(shown, command, values, width);
  if (command === undefined) return refuse('There is no command.', command);
  const args = argumentsOf(command, values);
  const nonsense = strayWords(command, values) ?? command.complaint(args);
  return nonsense === undefined ? { kind: 'perform', command, args } : refuse(nonsense, command);
}

/** Longer lines are hard to read. */
const mostColumns = 100;
/** In fewer yargs makes a column of single words. */
const leastColumns = 60;

/** Of a positional that takes any number of words yargs says that its default is an empty list. */
function withoutEmptyDefaults(text: string): string {
  return text.replace(/ (\[.*\]) \[default: \[\]\]$/gm, (said, kinds: string) => kinds.padStart(said.length));
}

/** As other programs are asked; behind a command these mean something else. */
function asksVersion([word, ...more]: readonly string[]): boolean {
  return more.length === 0 && (word === 'version' || word === '-v' || word === '-V');
}

/** The words that may come next by the declarations alone; the last word of `argv` is the one that is being typed. */
function declaredWords(argv: readonly string[]): readonly string[] {
  let words = '';
  parser(mostColumns).parseSync([...argv], {}, (_error, _values, output) => {
    words = output;
  });
  return words.split('\n').filter((word) => word !== '');
}

/** Help that is asked for together with a topic of the command is about that. */
function show(text: string, command: Command | undefined, values: Shown, columns: number): Intention {
  const topic = values._[1] === undefined ? undefined : String(values._[1]);
  const { topics } = command ?? {};
  if (topics === undefined || topic === undefined || values.help !== true) return { kind: 'show', text: `${text}\n` };
  const help = topics.help(topic, columns);
  if (help !== undefined) return { kind: 'show', text: help };
  const guess = nearest(topic, Object.keys(topics.words));
  return refuse(
    `There is no ${topics.noun} '${topic}'.${guess === undefined ? '' : ` Did you mean ${guess}?`}`,
    command,
  );
}

interface Shown {
  readonly _: readonly unknown[];
  readonly help?: unknown;
}

function refuse(message: string, command: Command | undefined): Intention {
  return { kind: 'refuse', message, hint: `See \`zerd ${command === undefined ? '' : `${command.name} `}--help\`.` };
}

function argumentsOf(command: Command, values: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const names = [...Object.keys(command.positionals), ...command.options];
  const many = manyWords(command);
  const value = (name: string) => {
    if (name === many) return [...asWords(values[name]), ...asWords(values['--'])];
    return isList(name) && values[name] !== undefined ? asWords(values[name]) : single(values[name]);
  };
  return Object.fromEntries(names.flatMap((name) => (value(name) === undefined ? [] : [[name, value(name)]])));
}

/** An option that means all that it is given. */
function isList(name: string): boolean {
  const declaredAs: Options | undefined = Object.hasOwn(options, name) ? options[name as OptionName] : undefined;
  return declaredAs?.array === true;
}

// yargs empties a positional that is a lone dash. No argument of a process can hold this character, so it stands for one.
const dash = '\0';

function restored(value: unknown): unknown {
  return value === dash ? '-' : value;
}

/** Of an option that is given twice the last one holds, so that an alias can be overruled. */
function single(value: unknown): unknown {
  return restored(Array.isArray(value) ? value.at(-1) : value);
}

/** The positional that takes any number of words, if the command has one. */
function manyWords(command: Command): string | undefined {
  return Object.keys(command.positionals).find((name) => command.positionals[name]?.array === true);
}

function strayWords(command: Command, values: Readonly<Record<string, unknown>>): string | undefined {
  const [word] = asWords(values['--']);
  return manyWords(command) === undefined && word !== undefined ? notExpected(word) : undefined;
}

function asWords(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map((word) => String(restored(word))) : [];
}

function parser(columns: number): Argv {
  // The folder matters only to features that are not used, and the real one may have been deleted.
  const bare = yargs([], '/')
    .scriptName('zerd')
    .usage(intro)
    .detectLocale(false)
    .parserConfiguration({
      'boolean-negation': false,
      'camel-case-expansion': false,
      'dot-notation': false,
      'parse-positional-numbers': false,
      'populate--': true,
    })
    .exitProcess(false)
    .showHelpOnFail(false)
    .wrap(columns)
    .strict()
    .help()
    .alias('help', 'h')
    .version(`zerd ${zerdVersion}`)
    .example(examples)
    .epilogue(epilogue);
  return commands.reduce((parent, command) => addCommand(parent, command, columns), bare);
}

function addCommand(parent: Argv, command: Command, columns: number): Argv {
  return parent.command(command.usage, command.says, (child) => {
    for (const [name, positional] of Object.entries(command.positionals)) child.positional(name, positional);
    for (const name of command.options) child.option(name, declared(name, command));
    child
      .usage(`zerd ${command.usage}\n\n${command.says}`)
      .example(command.examples.map(([line, says]) => [line, says] as const));
    const { epilogue = '' } = command;
    return child.epilogue(typeof epilogue === 'string' ? epilogue : epilogue(columns));
  });
}

/** yargs would read `0x10`, `1e3` and an empty word as numbers too: it is given them as text. */
function declared(name: OptionName, { words }: Command): Options {
  const option: Options = { ...options[name], ...(words?.[name] && { describe: words[name] }) };
  return option.type === 'number' ? { ...option, string: true, coerce: numbers } : option;
}

/** An option that is given twice is a list. */
function numbers(given: string | readonly string[]): unknown {
  return typeof given === 'string' ? plainNumber(given) : given.map(plainNumber);
}

const intro = `zerd: the coding agent that costs least and never loses your work.

  zerd run "make the tests pass"

A daemon for each repository keeps the sessions, so a run outlives its terminal and can be watched and continued from another.`;

const examples: [string, string][] = [
  ['zerd trust', 'Say once that this repository may be read and run'],
  ['zerd run --mode edit "rename Store to Archive"', 'May change files, may not run commands'],
  ['zerd run --continue "now the tests"', 'Goes on with the newest session'],
  ['git diff | zerd run "review this" -', 'Takes the rest of the prompt from standard input'],
  ['zerd watch ses_...', 'Follows a session, from its beginning'],
];

const epilogue = `Exit status: 0 done, 1 failed, 2 usage, 3 limit reached, 4 needs an answer or trust, 130 interrupted.
Settings: $ZERD_CONFIG_DIR/config.json (default ~/.config/zerd). The daemon itself: \`zerdd --help\`.`;
