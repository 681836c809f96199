/** S-43, S-51, S-56: what only looks is not let out of the repository by what lies in it. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { judgeCommand } from '@zerd/core/permissions/commands/judge-command';
import { reachesFarther } from '../../src/permissions/reaches-farther.ts';

let base: string;
let root: string;
beforeAll(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'zerd-reach-')));
  root = join(base, 'root');
  for (const folder of ['root/one', 'root/two', 'away']) mkdirSync(join(base, folder), { recursive: true });
  for (const file of ['root/a', 'root/two/secret', 'away/secret']) writeFileSync(join(base, file), 'x\n');
  symlinkSync('../../away/secret', join(root, 'one/secret'));
  symlinkSync('../away', join(root, 'folder'));
  execFileSync('mkfifo', [join(root, 'pipe')]);
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

const outside = 'the command looks at what is outside the repository';
const folders = 'the command compares what is in folders, also where links in them lead';
const endless = 'the command looks at what is no file and may never end (a pipe, a device)';

test.each([
  ['diff a two/secret', undefined],
  ['diff a missing', undefined],
  ['ls one two', undefined],
  ['diff one two', folders],
  ['diff a two', folders],
  ['cd one && diff secret ../a', outside],
  ['diff one/secret a', outside],
  ['git diff folder/secret a', outside],
  ['git diff HEAD~1 -- a', undefined],
  ['cat pipe', endless],
  ['cd two && cat secret | wc -l', undefined],
])('%s', async (command, expected) => {
  const judged = judgeCommand(command, []);
  expect(judged.kind).toBe('look');
  expect(judged.kind === 'ask' || (await reachesFarther(root, judged.reach))).toBe(expected);
});

test('git that would look at another folder is asked about', async () => {
  const repository = join(base, 'repository');
  execFileSync('git', ['init', '-q', repository]);
  const look = () => reachesFarther(repository, { paths: [], files: [], git: true });
  expect(await look()).toBeUndefined();
  execFileSync('git', ['-C', repository, 'config', 'core.worktree', join(base, 'away')]);
  expect(await look()).toBe('the settings of the repository name programs for git to run');
});
