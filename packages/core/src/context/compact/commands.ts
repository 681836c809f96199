/**
 * Lists each distinct command once with how its last run ended, newest first. Invariant: within its bytes, and a command
 * that is listed is listed whole.
 */
import { utf8Length } from '../../text/utf8.ts';
import { fitting } from './clip.ts';
import { endingOf } from './errors.ts';
import { type Story, type ToldCall, textField } from './story.ts';

/** A longer one (a script in its arguments) is found in the archive. */
const longest = 1_000;

export interface ToldCommands {
  readonly lines: readonly string[];
  /** Commands that are not among them. */
  readonly missing: number;
}

export function tellCommands(story: Story, bytes: number): ToldCommands {
  const all = listCommands(story);
  const lines = fitting(
    all.filter((line) => utf8Length(line) <= longest),
    bytes,
  );
  return { lines, missing: all.length - lines.length };
}

/** All of them, newest first: `exit 0: npm test`. */
export function listCommands({ calls }: Story): readonly string[] {
  const last = new Map<string, ToldCall>();
  for (const call of calls) {
    const command = call.name === 'shell' ? textField(call, 'command')?.trim() : undefined;
    if (command === undefined || command === '') continue;
    // The newest run decides the place too.
    last.delete(command);
    last.set(command, call);
  }
  return [...last].reverse().map(([command, call]) => `${endingOf(call)}: ${command}`);
}
