/** The page of `/help`: the commands and the keys. Pure. */
import type { Command } from '../input/complete.ts';
import { type Line, span } from '../text/style.ts';
import { theme } from '../text/theme.ts';

const keys: readonly (readonly [string, string])[] = [
  ['Enter', 'send; while it works: say it before its next step (steer)'],
  ['Tab', 'complete; while it works: wait for the end and then send (queue)'],
  ['Up, with an empty input', 'take back the last prompt that waits'],
  ['Esc', 'interrupt; leave a list'],
  ['Esc Esc', 'take back a message, with what was done for it'],
  ['Alt-Enter, Shift-Enter, Ctrl-J', 'a new line'],
  ['Up, Down', 'lines, then what was said before'],
  ['@', 'a file by a part of its path'],
  ['PgUp, PgDn, Ctrl-Home, Ctrl-End', 'scroll, as the wheel does; with Shift held the mouse selects text'],
  ['Ctrl-G', 'write in your editor: $VISUAL, $EDITOR or vi'],
  ['Shift-Tab', 'the next mode: ask, edit, read-only'],
  ['Ctrl-O', 'open or fold what calls printed'],
  ['Ctrl-T', 'show or hide thinking'],
  ['Ctrl-L', 'draw anew'],
  ['Ctrl-Z', 'back to the shell; `fg` comes back'],
  ['Ctrl-C', 'empty the input; twice: leave. What runs goes on'],
];

/** Columns of what stands left. */
const left = 32;
/** Of the further rows of a line. */
export const helpHang = left + 2;

export function helpLines(commands: readonly Command[]): readonly Line[] {
  const row = (what: string, says: string): Line => [span(` ${what.padEnd(left)} `, theme.accent), span(says)];
  return [
    ...commands.map(({ name, takes, says }) => row(`/${name}${takes === '' ? '' : ` ${takes}`}`, says)),
    [],
    ...keys.map(([key, says]) => row(key, says)),
  ];
}
