/**
 * Decides which words may follow on a command line, for the shell's completion: those that the declarations give, the
 * topics of a command, and whether ids of sessions fit, which only a daemon knows.
 */
import type { Command } from './command.ts';

/** What the shells' scripts put before the words that stand there so far; yargs answers to it. */
export const completionKey = '--get-yargs-completions';

export interface Following {
  /** As yargs writes them for the shell in which it runs. */
  readonly declared: readonly string[];
  /** Words with what they mean. */
  readonly topics: Readonly<Record<string, string>>;
  readonly sessions: boolean;
}

/** `typed`: the words after the program's name, up to the one that is being typed, which may be empty. */
export function following(
  typed: readonly string[],
  commands: readonly Command[],
  declared: readonly string[],
): Following {
  const command = typed.length < 2 ? undefined : commands.find(({ name }) => name === typed[0]);
  const takesSession = command !== undefined && 'session' in command.positionals;
  if (typed.at(-2) === '--session') return { declared: [], topics: {}, sessions: true };
  if (typed.at(-1)?.startsWith('-')) return { declared, topics: {}, sessions: false };
  // yargs lists the options also where a word is awaited.
  const words = declared.filter((word) => !word.startsWith('-'));
  return { declared: words, topics: typed.length === 2 ? (command?.topics?.words ?? {}) : {}, sessions: takesSession };
}
