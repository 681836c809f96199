import { expect, test } from '@jest/globals';
import { createApp } from '../src/app/app.ts';
import type { Frame, Input, Screen } from '../src/screen/port.ts';
import { lineText } from '../src/text/style.ts';
import { pressed } from './keys.ts';

/** The UI on a screen that a test looks at; there is no daemon. */
function scene(edit: (text: string) => Promise<string | undefined>) {
  let give: (input: Input) => void = () => {};
  let shown: Frame = { lines: [] };
  const screen: Screen = {
    size: () => ({ columns: 60, rows: 10 }),
    onInput(listener) {
      give = listener;
      return { [Symbol.dispose]() {} };
    },
    onResize: () => ({ [Symbol.dispose]() {} }),
    draw: (frame) => (shown = frame),
    drawNow: (frame) => (shown = frame),
    bell() {},
    setTitle() {},
    copy() {},
    suspend: (during) => during(),
    close() {},
  };
  const connect = () => Promise.reject(new Error('There is no daemon.'));
  const app = createApp({ screen, connect, now: () => 0, pause: () => {}, edit, begin: {} });
  const rows = () => shown.lines.map((line) => lineText(line).trimEnd());
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  const type = (...names: readonly string[]) => {
    for (const name of names) give(pressed(name));
  };
  return { app, rows, settled, type };
}

/** From the rule on, without the line at the bottom. */
const input = (rows: readonly string[]) => rows.slice(rows.findIndex((row) => row.startsWith('─')) + 1, -1);

test('what is written goes to the editor and comes back, without the last line break', async () => {
  const edited: string[] = [];
  const answers = ['one\ntwo\n', undefined];
  const { app, rows, settled, type } = scene(async (text) => {
    edited.push(text);
    return answers.shift();
  });
  type('h', 'i', 'C-g');
  await settled();
  expect(input(rows())).toEqual(['> one', '  two']);
  type('C-g');
  await settled();
  expect(edited).toEqual(['hi', 'one\ntwo']);
  expect(input(rows())).toEqual(['> one', '  two']);
  type('C-z', 'C-_');
  expect(input(rows())).toEqual(['> hi']);
  app.leave();
  await app.left;
});

test('what could not be sent comes back with the reason', async () => {
  const { app, rows, settled, type } = scene(async () => undefined);
  type('g', 'o', 'enter');
  expect(input(rows())).toEqual(['> say what to do, / for commands, @ for files']);
  await settled();
  expect([rows()[0], input(rows())]).toEqual(['· There is no daemon.', ['> go']]);
  app.leave();
  await app.left;
});
