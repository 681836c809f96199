/** Says what of a text being written can be completed: a command at its beginning, a file behind an `@`. Pure. */
import { commandIn } from '@zerd/protocol/common/skill-call';

export interface Command {
  readonly name: string;
  /** What may follow it, as it is shown: '[provider/model]'. */
  readonly takes: string;
  readonly says: string;
}

export type Completing =
  | { readonly kind: 'command'; readonly typed: string; readonly from: number; readonly to: number }
  | { readonly kind: 'file'; readonly typed: string; readonly from: number; readonly to: number };

export function completing(text: string, cursor: number): Completing | undefined {
  const before = text.slice(0, cursor);
  const command = /^\/([\w-]*)$/.exec(before);
  if (command) return { kind: 'command', typed: command[1] ?? '', from: 0, to: cursor };
  const file = /(?:^|[\s(])@([^\s@]*)$/.exec(before);
  if (!file) return undefined;
  const typed = file[1] ?? '';
  return { kind: 'file', typed, from: cursor - typed.length - 1, to: cursor };
}

/** Those that begin so, then those that hold it. */
export function matchingCommands(commands: readonly Command[], typed: string): readonly Command[] {
  const begin = commands.filter(({ name }) => name.startsWith(typed));
  const hold = commands.filter(({ name }) => !name.startsWith(typed) && name.includes(typed));
  return [...begin, ...hold];
}

/** How a text is typed so that it is said to the model: two slashes say one. */
export function asTyped(text: string): string {
  return commandIn(text) === undefined && !text.startsWith('//') ? text : `/${text}`;
}
