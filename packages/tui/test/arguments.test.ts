import { expect, test } from '@jest/globals';
import { readArguments } from '../src/arguments.ts';

test.each<[readonly string[], ReturnType<typeof readArguments>]>([
  [[], { session: undefined, begin: {} }],
  [['attach'], { session: 'newest', begin: {} }],
  [['attach', 'ses_0m'], { session: 'ses_0m', begin: {} }],
  [
    ['--mode', 'edit', '--model', 'a/b', '--trust'],
    { session: undefined, begin: { mode: 'edit', model: 'a/b', trust: true } },
  ],
  [['attach', 'nope'], { wrong: `'nope' is no session id: they begin with ses_. See \`zerd sessions\`.` }],
  [['attach', 'ses_1', 'ses_2'], { wrong: 'not understood: attach ses_1 ses_2' }],
  [['--mode', 'wild'], { wrong: '--mode is one of read-only, ask, edit, full' }],
])('%j is read as it is meant', (argv, expected) => {
  expect(readArguments(argv)).toEqual(expected);
});
