import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { askedChange } from '../src/app/asked-change.ts';
import { lineText } from '../src/text/style.ts';

function check(tool: string, input: unknown, expected: readonly string[] | undefined): void {
  const asks = `${tool} ${typeof input === 'string' ? input : JSON.stringify(input)}`;
  expect(askedChange(tool, asks)?.map(lineText)).toEqual(expected);
}

test('an edit is asked for as the lines that go and come', () => {
  check('edit', { path: 'a.ts', old: 'one\ntwo', new: 'three' }, ['a.ts', '- one', '- two', '+ three']);
  check('edit', { path: 'a.ts', old: 'one', new: '', all: true }, ['a.ts {"all":true}', '- one']);
});

test('a new file is asked for with all of its lines', () => {
  check('write', { path: 'a.ts', content: 'one\n\n\ttwo\n' }, ['a.ts', '+ one', '+ ', '+     two']);
});

test('a line break at the end that comes or goes is said', () => {
  check('edit', { path: 'a', old: 'x\n', new: 'y' }, ['a', '- x', '+ y', '(without the line break behind it)']);
  check('edit', { path: 'a', old: 'x', new: 'y\n' }, ['a', '- x', '+ y', '(and a line break behind it)']);
});

test('what is no change, or not understood, is left as it came', () => {
  check('edit', '{"path":"a","old":"x"', undefined);
  check('edit', { path: 'a', old: 'x' }, undefined);
  check('edit', { path: 1, old: 'x', new: 'y' }, undefined);
  check('edit', { path: 'a', old: 'x', new: 'y', content: 'z' }, undefined);
  check('shell', { command: 'ls' }, undefined);
});

test('S-60: no text of a change is drawn raw or left out', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (old, next) => {
      const rows = askedChange('edit', `edit ${JSON.stringify({ path: 'a', old, new: next })}`)?.map(lineText) ?? [];
      expect(rows.filter((row) => /[\x00-\x08\x0b-\x1f\x7f-\x9f]/.test(row))).toEqual([]);
      const goes = old === '' ? 0 : old.replace(/\n$/, '').split('\n').length;
      expect(rows.filter((row) => row.startsWith('- ')).length).toBeGreaterThanOrEqual(goes === 0 ? 0 : 1);
    }),
  );
});
