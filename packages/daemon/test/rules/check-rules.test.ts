import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { checkRules } from '../../src/rules/check-rules.ts';

let base: string;
let root: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'zerd-rules-')));
  root = join(base, 'repo');
  mkdirSync(root);
});
afterEach(() => rmSync(base, { recursive: true }));

const sound = { ok: true, says: 'Every file of rules that was found or named can be used.' };
const todo = 'Mend these files: no session begins with what they say.';

async function check(named: readonly string[], says: string | undefined): Promise<void> {
  expect(await checkRules(root, { named })).toEqual(says === undefined ? sound : { ok: false, says, todo });
}

test('rules that are used, empty or absent are in order', async () => {
  await check([], undefined);
  writeFileSync(join(root, 'AGENTS.md'), 'Be kind.\n');
  writeFileSync(join(root, 'CLAUDE.md'), '');
  writeFileSync(join(base, 'mine.md'), 'Be brief.\n');
  await check(['AGENTS.md', '../mine.md', join(base, 'mine.md')], undefined);
});

test('rules that lie outside by a link are told, with the way in', async () => {
  writeFileSync(join(base, 'shared.md'), 'Be kind.\n');
  symlinkSync('../shared.md', join(root, 'AGENTS.md'));
  await check(
    ['../shared.md'],
    'AGENTS.md is left out: it leads out of the repository; `rules.files` may name where it leads.',
  );
});

test('what is no text, and what was named and is not there, is told', async () => {
  writeFileSync(join(root, 'AGENTS.md'), 'a\0b');
  mkdirSync(join(root, 'CLAUDE.md'));
  await check(
    ['docs/rulse.md'],
    [
      'AGENTS.md is left out: it is no file of text of up to 4 MB that may be read.',
      'CLAUDE.md is left out: it is no file of text of up to 4 MB that may be read.',
      'docs/rulse.md in `rules.files` is left out: there is no such file.',
    ].join(' '),
  );
});

test('I7: nothing is looked at before the repository is trusted', async () => {
  mkdirSync(join(root, 'AGENTS.md'));
  expect(await checkRules(undefined, { named: ['none.md'] })).toEqual(sound);
});
