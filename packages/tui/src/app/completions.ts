/** What can be completed, below the input: commands at once, files as the daemon finds them. */
import type { ResultOf } from '@zerd/protocol/common/methods';
import { sanitiseLine } from '@zerd/protocol/common/sanitise';
import type { ZerdClient } from '@zerd/protocol/node/client';
import { type Completing, completing, matchingCommands } from '../input/complete.ts';
import { type Editor, setText } from '../input/editor.ts';
import type { Key } from '../screen/port.ts';
import { columnsOf } from '../text/clusters.ts';
import { type Line, span } from '../text/style.ts';
import { theme } from '../text/theme.ts';
import { fit } from '../text/wrap.ts';
import { commandNamed, commandRows } from './commands.ts';

export interface Completions {
  /** What was said before and is looked through is not completed: Up and Down go on through it. */
  update(editor: Editor): void;
  /** Some of them, what is chosen among them. */
  lines(columns: number, rows: number): readonly Line[];
  /** The text after a key that completes; undefined: the key is not for this. */
  take(key: Key, editor: Editor): Editor | undefined;
}

interface Choice {
  readonly label: string;
  readonly detail: string;
  readonly text: string;
}

type Skills = ResultOf<'skill/list'>['skills'];

/** Files that are asked for. */
const mostFiles = 50;

export function createCompletions(parts: {
  readonly client: () => Promise<ZerdClient>;
  readonly changed: () => void;
}): Completions {
  let at = 0;
  let what: Completing | undefined;
  let choices: readonly Choice[] = [];
  /** Left by Escape, until something else is typed. */
  let left = '';
  let asked = 0;
  /** As they were when the command that is being written was begun. */
  let skills: Promise<Skills> | undefined;

  async function findFiles(typed: string): Promise<void> {
    asked += 1;
    const own = asked;
    const { paths } = await (await parts.client()).request('file/find', { typed, limit: mostFiles });
    if (own !== asked || what?.kind !== 'file' || what.typed !== typed) return;
    choices = paths.map((path) => ({ label: path, detail: '', text: `@${path} ` }));
    at = 0;
    parts.changed();
  }

  /** Below the commands; a skill with the name of one of them is not called by it. */
  async function findSkills(typed: string): Promise<void> {
    asked += 1;
    const own = asked;
    skills ??= parts.client().then(async (client) => (await client.request('skill/list', {})).skills);
    const all = await skills;
    if (own !== asked || what?.kind !== 'command' || what.typed !== typed || left !== '') return;
    const others = all.filter(({ name }) => commandNamed(name) === undefined);
    const rows = others.map(({ name, description }) => ({ name, takes: '', says: description }));
    const found = matchingCommands(rows, typed);
    if (found.length === 0) return;
    choices = [...choices, ...found.map(({ name, says }) => ({ label: `/${name}`, detail: says, text: `/${name} ` }))];
    parts.changed();
  }

  return {
    update({ text, cursor, history, at: shown }) {
      const next = shown !== undefined && history[shown] === text ? undefined : completing(text, cursor);
      if (next?.kind === what?.kind && next?.typed === what?.typed) return;
      what = next;
      at = 0;
      if (next?.kind !== 'command') skills = undefined;
      if (left !== '' && left !== text) left = '';
      if (next === undefined || left !== '') choices = [];
      else if (next.kind === 'command') {
        choices = matchingCommands(commandRows, next.typed).map(({ name, takes, says }) => ({
          label: `/${name} ${takes}`,
          detail: says,
          text: takes === '' ? `/${name}` : `/${name} `,
        }));
        findSkills(next.typed).catch(() => undefined);
      } else findFiles(next.typed).catch(() => undefined);
    },
    lines(columns, rows) {
      const from = Math.max(0, Math.min(at - Math.floor(rows / 2), choices.length - rows));
      const widest = Math.min(Math.floor(columns / 2), Math.max(0, ...choices.map(({ label }) => columnsOf(label))));
      return choices.slice(from, from + rows).map(({ label, detail }, index) => {
        const space = ' '.repeat(Math.max(0, widest - columnsOf(label)));
        const line = [span(` ${sanitiseLine(label)}${space}  `), span(sanitiseLine(detail), theme.dim)];
        return fit(from + index === at ? line.map(({ text }) => span(text, theme.selected)) : line, columns);
      });
    },
    take({ name, ctrl, shift, alt }, editor) {
      const chosen = choices[at];
      if (what === undefined || chosen === undefined || ctrl || alt) return undefined;
      if (name === 'up' || name === 'down') {
        at = (at + (name === 'up' ? -1 : 1) + choices.length) % choices.length;
        return editor;
      }
      if (name === 'escape') {
        choices = [];
        left = editor.text;
        return editor;
      }
      const isWhole = what.kind === 'command' && editor.text === chosen.text.trimEnd();
      if (name !== 'tab' && !(name === 'enter' && !shift && !isWhole)) return undefined;
      const { from, to } = what;
      choices = [];
      return setText(
        editor,
        editor.text.slice(0, from) + chosen.text + editor.text.slice(to),
        from + chosen.text.length,
      );
    },
  };
}
