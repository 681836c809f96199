/**
 * What the user allows for good: commands by their words, `npm test` as it stands, `npm test *` with whatever comes
 * behind. A rule is compared with what bash would run, never with the text.
 */
import { parseCommand, type SimpleCommand } from './parse-command.ts';

export interface CommandRule {
  readonly words: readonly string[];
  /** Further words may follow. */
  readonly more: boolean;
}

/** Undefined: it is no single plain command. */
export function readRule(text: string): CommandRule | undefined {
  const more = text.endsWith(' *');
  const plain = (more ? text.slice(0, -2) : text).trim();
  const parsed = plain.endsWith(';') ? undefined : parseCommand(plain);
  const [command] = parsed ?? [];
  if (command === undefined || parsed?.length !== 1 || command.globs) return undefined;
  return { words: command.words, more };
}

export function ruleText({ words, more }: CommandRule): string {
  return [...words.map(quoted), ...(more ? ['*'] : [])].join(' ');
}

function quoted(word: string): string {
  return /^[\w./:@%+,=^-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** A star of a rule is a star: one that bash would fill in is another command. */
export function fitsRule({ words, globs }: SimpleCommand, rule: CommandRule): boolean {
  if (globs && rule.words.some((word) => /[*?]/.test(word))) return false;
  const begins = rule.words.every((word, n) => words[n] === word);
  return begins && (rule.more || words.length === rule.words.length);
}
