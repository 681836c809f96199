/** The user's word that a repository may be read and run (I7). */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { openTrust } from '@zerd/daemon/permissions/trust';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'zerd-trust-'));
});
afterEach(() => rmSync(folder, { recursive: true }));
const file = () => join(folder, 'trust.json');

test.each([
  ['nothing', () => {}, [false, undefined]],
  ['the word for this repository', () => writeFileSync(file(), '{"root":"/r","trusted":true}'), [true, undefined]],
  ['the word for another one', () => writeFileSync(file(), '{"root":"/other"}'), [false, undefined]],
  ['half a record', () => writeFileSync(file(), '{"root":"/r'), [false, 'is broken']],
  ['another record', () => writeFileSync(file(), '[]'), [false, 'is broken']],
  ['a folder', () => mkdirSync(file()), [false, 'cannot be read (EISDIR)']],
] as const)('I7: %s is trust or none, and what is broken is named', (_, make, [trusted, what]) => {
  make();
  const trust = openTrust(folder, '/r');
  const why = what && `${file()}, which holds your word, ${what}, and was left as it is.`;
  expect([trust.trusted(), trust.broken()]).toEqual([trusted, why]);
});
