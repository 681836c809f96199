/** Says what is wrong with a command line, and what was probably meant. yargs only finds it. Pure. */
import type { Command } from './command.ts';
import { commands } from './command-list.ts';
import { nearest } from './nearest.ts';

/** `complaint`: of yargs about `argv`; `word`: where the name of a command stands. */
export function explain(
  complaint: string,
  argv: readonly string[],
  command: Command | undefined,
  word: unknown,
): string {
  if (command === undefined)
    return word === undefined ? (unknown(complaint, argv) ?? complaint) : noCommand(String(word));
  return (
    missingWord(complaint, command) ??
    missingValue(complaint) ??
    noChoice(complaint, command) ??
    unknown(complaint, argv, command) ??
    complaint
  );
}

function noCommand(word: string): string {
  const guess = nearest(
    word,
    commands.map(({ name }) => name),
  );
  if (guess !== undefined) return `There is no command '${word}'. Did you mean ${guess}?`;
  const task = /\s/.test(word) && word.length <= longestTask ? word : '…';
  return `There is no command '${word}'. A task for the model: zerd run ${JSON.stringify(task)}`;
}

const longestTask = 80;

function missingWord(complaint: string, { usage }: Command): string | undefined {
  if (!complaint.startsWith('Not enough non-option arguments')) return undefined;
  return `Something is missing: zerd ${usage}`;
}

function missingValue(complaint: string): string | undefined {
  const [, name] = /^Not enough arguments following: (\S+)/.exec(complaint) ?? [];
  return name === undefined ? undefined : `${dashed(name)} takes a value, and none was given.`;
}

function dashed(name: string): string {
  return name.length === 1 ? `-${name}` : `--${name}`;
}

function noChoice(complaint: string, command: Command): string | undefined {
  const [, name = '', given = '', choices] =
    /Argument: (\S+), Given: (.*), Choices: (.*)$/m.exec(complaint.replaceAll(/^Invalid values:\s*/g, '')) ?? [];
  if (choices === undefined) return undefined;
  const known = listed(choices.split(', ').map((choice) => choice.replaceAll('"', '')));
  const said = `'${given.replaceAll(/^"|"$/g, '')}'`;
  return name in command.positionals ? `${said} is not one of ${known}.` : `--${name} takes ${known}, not ${said}.`;
}

function listed(choices: readonly string[]): string {
  return choices.length < 2 ? choices.join('') : `${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`;
}

/** yargs calls a word too many and an option that is none by one name. */
function unknown(complaint: string, argv: readonly string[], command?: Command): string | undefined {
  const [, names] = /^Unknown arguments?: (.+)/.exec(complaint) ?? [];
  const first = names?.split(', ')[0];
  if (first === undefined) return undefined;
  const option = argv.find((word) => word === dashed(first) || word.startsWith(`${dashed(first)}=`));
  if (option === undefined) return notExpected(first);
  const guess = nearest(first, command?.options ?? []);
  return `There is no option ${dashed(first)}.${guess === undefined ? '' : ` Did you mean --${guess}?`}`;
}

export function notExpected(word: string): string {
  return `'${word}' was not expected: it is a word too many.`;
}
