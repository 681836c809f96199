import { expect, test } from '@jest/globals';
import { readHead } from '@zerd/core/skills/head';

/** Stands for YAML: `key: value` lines. */
const plainYaml = (text: string) => Object.fromEntries(text.split('\n').map((line) => line.split(/: */, 2)));

function check(text: string, expected: ReturnType<typeof readHead>) {
  expect(readHead(text, plainYaml)).toEqual(expected);
}

test('name, description and where the body begins are read from the head', () => {
  check('---\nname: pdf\ndescription: Fills in forms.\n---\n# Body\n', {
    ok: true,
    name: 'pdf',
    description: 'Fills in forms.',
    bodyLine: 5,
  });
  check('\uFEFF---\r\ndescription: Folder names it.\r\n---', {
    ok: true,
    name: undefined,
    description: 'Folder names it.',
    bodyLine: 4,
  });
});

test('what would not show in the system text is left out of a description (S-63)', () => {
  const hidden = 'Looks\u{e0041}\u202e  good\u200b\u2028now\u0007';
  expect(readHead('---\nx\n---\n', () => ({ description: hidden }))).toMatchObject({ description: 'Looks good now' });
});

test('a broken head says what is wrong with it', () => {
  const bad = (problem: string) => ({ ok: false as const, problem });
  check('# pdf\n', bad('does not begin with a head between two lines `---`'));
  check('---\nname: pdf\n', bad('has a head without end: a line `---` is missing'));
  check('---\nname: pdf\n---\n', bad('has no description in its head'));
  check('---\nname: a/b\ndescription: d\n---\n', bad('has a name that cannot be one: "a/b"'));
  check(`---\nname: ${'n'.repeat(65)}\ndescription: d\n---\n`, bad('has a name of more than 64 characters'));
  const throws = () => {
    throw new Error('Nested mappings\nare not allowed');
  };
  expect(readHead('---\nx\n---\n', throws)).toEqual(
    bad('has a head that is not YAML: Nested mappings are not allowed'),
  );
  expect(readHead('---\nx\n---\n', () => ['description'])).toEqual(bad('has no description in its head'));
  expect(readHead('---\nx\n---\n', () => Object.create({ description: 'inherited' }))).toEqual(
    bad('has no description in its head'),
  );
});
