import { expect, test } from '@jest/globals';
import type { ZerdClient } from '@zerd/protocol/node/client';
import { commandRows } from '../src/app/commands.ts';
import { createCompletions } from '../src/app/completions.ts';
import { type Editor, emptyEditor, press, sent } from '../src/input/editor.ts';
import { lineText } from '../src/text/style.ts';
import { key } from './keys.ts';

/** The input with what is offered for it, as keys change them. */
function scene(paths: readonly string[] = [], skills: readonly object[] = []) {
  const request = async (method: string) => (method === 'skill/list' ? { skills } : { paths });
  const found = Promise.resolve({ request } as unknown as ZerdClient);
  const completions = createCompletions({ client: () => found, changed: () => {} });
  let editor: Editor = emptyEditor;
  const typed = (...names: readonly string[]) => {
    for (const name of names) {
      editor = completions.take(key(name), editor) ?? press(editor, key(name)) ?? editor;
      completions.update(editor);
    }
    return editor.text;
  };
  const say = (text: string) => {
    editor = sent(editor, text);
    completions.update(editor);
  };
  const offered = (rows = 8) => completions.lines(80, rows).map((line) => lineText(line).trim().split(/\s/)[0]);
  return { typed, say, offered };
}

const names = commandRows.map(({ name }) => `/${name}`);
const down = (times: number) => Array.from({ length: times }, () => 'down');

test('a list that is longer than its room goes along with what is chosen, to the last and around', () => {
  const { typed, offered } = scene();
  typed('/');
  expect(offered()).toEqual(names.slice(0, 8));
  typed(...down(6));
  expect(offered()).toEqual(names.slice(2, 10));
  typed(...down(names.length - 7));
  expect(offered()).toEqual(names.slice(-8));
  expect(typed('tab')).toBe(names.at(-1));
  const other = scene();
  other.typed('/', 'up');
  expect(other.offered(1)).toEqual([names.at(-1)]);
  other.typed('down');
  expect(other.offered(3)).toEqual(names.slice(0, 3));
});

test('a command that was said before does not hold up whoever looks through what was said', () => {
  const { typed, say, offered } = scene();
  for (const text of ['first', '/model sim/a', '/cost', '/cost now']) say(text);
  expect([typed('up'), typed('up'), typed('up'), typed('up')]).toEqual(['/cost now', '/cost', '/model sim/a', 'first']);
  expect([typed('down', 'down'), offered()]).toEqual(['/cost', []]);
  expect([typed('backspace'), offered()]).toEqual(['/cos', ['/cost']]);
});

test('skills are offered below the commands, but for one that has the name of a command', async () => {
  const skills = ['release-notes', 'cost', 'undo', 'tidy'].map((name) => ({ name, description: `how to ${name}` }));
  const { typed, offered } = scene([], skills);
  typed('/');
  while (!offered(99).includes('/tidy')) await new Promise((resolve) => setImmediate(resolve));
  expect(offered(99)).toEqual([...names, '/release-notes', '/tidy']);
  typed('r', 'e', 'l');
  while (offered().length === 0) await new Promise((resolve) => setImmediate(resolve));
  expect([offered(), typed('tab')]).toEqual([['/release-notes'], '/release-notes ']);
});

test('skills that come after the list was left do not open it again', async () => {
  const { typed, offered } = scene([], [{ name: 'tidy', description: 'how to tidy' }]);
  typed('/', 'escape');
  await new Promise((resolve) => setImmediate(resolve));
  expect(offered()).toEqual([]);
});

test('files are offered as the daemon finds them', async () => {
  const paths = Array.from({ length: 20 }, (_, at) => `src/file${at}.ts`);
  const { typed, offered } = scene(paths);
  typed('@', 's');
  while (offered().length === 0) await new Promise((resolve) => setImmediate(resolve));
  typed(...down(19));
  expect(offered(3)).toEqual(['src/file17.ts', 'src/file18.ts', 'src/file19.ts']);
  expect(typed('enter')).toBe('@src/file19.ts ');
});
