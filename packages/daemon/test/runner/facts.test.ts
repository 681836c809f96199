import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { systemClock } from '@zerd/protocol/node/clock';
import { gatherFacts } from '../../src/runner/facts.ts';
import { plainRepository } from '../../src/runner/plain-repository.ts';

const base = realpathSync(mkdtempSync(join(tmpdir(), 'zerd-facts-')));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const env = { PATH: process.env.PATH, HOME: base, GIT_CONFIG_NOSYSTEM: '1' };
const identity = ['-c', 'user.name=A', '-c', 'user.email=a@example.org'];

function git(folder: string, ...args: readonly string[]): void {
  execFileSync('git', [...identity, ...args], { cwd: folder, env, stdio: 'ignore' });
}

/** A repository on `main` with one committed file. */
function repository(name: string): string {
  const folder = join(base, name);
  mkdirSync(folder);
  git(folder, 'init', '-q', '-b', 'main');
  writeFileSync(join(folder, 'a.txt'), 'a\n');
  git(folder, 'add', '.');
  git(folder, 'commit', '-qm', 'Begin');
  return folder;
}

interface Case {
  readonly says: string;
  readonly prepare: (folder: string) => unknown;
  readonly fact: string;
  /** Whether it is read without a git process. */
  readonly plain: boolean;
}

const marker = join(base, 'filter-ran');

const cases: readonly Case[] = [
  { says: 'nothing changed', prepare: () => {}, fact: 'Git: branch main, nothing changed', plain: true },
  {
    says: 'a changed and a new file',
    prepare(folder) {
      for (const name of ['a.txt', 'b.txt']) writeFileSync(join(folder, name), 'changed\n');
    },
    fact: 'Git: branch main, 2 changed or new files',
    plain: true,
  },
  {
    says: 'a branch with a slash',
    prepare: (folder) => git(folder, 'checkout', '-qb', 'fix/one-1.2'),
    fact: 'Git: branch fix/one-1.2, nothing changed',
    plain: true,
  },
  {
    says: 'a branch that is not plain to read',
    prepare: (folder) => git(folder, 'checkout', '-qb', 'a#b'),
    fact: 'Git: branch a#b, nothing changed',
    plain: false,
  },
  {
    says: 'a detached head',
    prepare: (folder) => git(folder, 'checkout', '-q', '--detach'),
    fact: 'Git: no branch, nothing changed',
    plain: false,
  },
  {
    says: 'a worktree',
    prepare(folder) {
      git(folder, 'worktree', 'add', '-q', '-b', 'side', `${folder}-side`);
      return `${folder}-side`;
    },
    fact: 'Git: branch side, nothing changed',
    plain: false,
  },
  {
    says: 'a filter of its own',
    prepare(folder) {
      git(folder, 'config', 'filter.x.clean', `touch ${marker}; cat`);
      plantFilter(folder);
    },
    fact: 'Git: branch main',
    plain: false,
  },
  {
    says: 'a filter in an included file',
    prepare(folder) {
      writeFileSync(join(folder, '.git/more'), `[filter "x"]\n\tclean = "touch ${marker}; cat"\n`);
      git(folder, 'config', 'include.path', 'more');
      plantFilter(folder);
    },
    fact: 'Git: branch main',
    plain: false,
  },
];

/** A file that git would have to run the filter for, were it compared. */
function plantFilter(folder: string): void {
  writeFileSync(join(folder, '.git/info/attributes'), '* filter=x\n');
  writeFileSync(join(folder, 'a.txt'), 'b\n');
}

cases.forEach(({ says, prepare, fact, plain }, index) => {
  test(`the facts of a repository with ${says}`, async () => {
    const made = repository(`case-${index}`);
    const prepared = prepare(made);
    const folder = typeof prepared === 'string' ? prepared : made;
    const facts = await gatherFacts(folder, { ...systemClock, wall: () => Date.UTC(2026, 0, 2, 12) });
    expect(facts).toBe(`Working folder: ${folder}\nDate: 2026-01-02\nPlatform: ${platform()}\n${fact}`);
    expect((await plainRepository(folder)) !== undefined).toBe(plain);
    expect(existsSync(marker)).toBe(false);
  });
});

test('a folder without git is no repository', async () => {
  const folder = join(base, 'bare');
  mkdirSync(folder);
  expect(await gatherFacts(folder, systemClock)).toContain('\nNot a git repository.');
});

test('a pipe in the place of HEAD is not waited for', async () => {
  const folder = repository('pipe');
  rmSync(join(folder, '.git/HEAD'));
  execFileSync('mkfifo', [join(folder, '.git/HEAD')]);
  expect(await plainRepository(folder)).toBeUndefined();
});
