import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from '@jest/globals';
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
    says: 'more filters than are read',
    prepare(folder) {
      const filters = Array.from(
        { length: 80_000 },
        (_, i) => `[filter "${String(i).padStart(100, 'x')}"]\n\tclean = cat\n`,
      );
      appendFileSync(
        join(folder, '.git/config'),
        `${filters.join('')}[filter "x"]\n\tclean = "touch ${marker}; cat"\n`,
      );
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
    const facts = await gatherFacts(folder, { ...systemClock, wall: () => Date.UTC(2026, 0, 2, 12) }, 60_000);
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

const path = process.env.PATH;
afterEach(() => {
  process.env.PATH = path;
});

/** What is said of git with this search path. */
async function gitFact(folder: string, searchPath: string): Promise<readonly string[]> {
  process.env.PATH = searchPath;
  return (await gatherFacts(folder, systemClock, 60_000)).split('\n').slice(3);
}

/** A program in place of git. */
function plantGit(folder: string, script: string): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'git'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return folder;
}

test('S-22: a git that lies in the repository is never run, wherever the search path points', async () => {
  const root = repository('own-git');
  const ran = join(base, 'own-git-ran');
  for (const folder of ['.', 'bin', 'node_modules/.bin']) plantGit(join(root, folder), `echo "$0" >> ${ran}`);
  for (const first of ['.', '', 'bin', 'node_modules/.bin', root, `${root}/node_modules/.bin`, `${base}/x/../own-git`])
    expect({ first, fact: await gitFact(root, `${first}:${path}`) }).toEqual({
      first,
      fact: ['Git: branch main, 3 changed or new files'],
    });
  for (const whole of ['', '.', root]) await gitFact(root, whole);
  expect(existsSync(ran) ? readFileSync(ran, 'utf8') : 'nothing ran').toBe('nothing ran');
});

test('a git that fails or is missing does not make of a repository a folder without one', async () => {
  const root = repository('no-git');
  expect(await gitFact(root, plantGit(join(base, 'failing'), 'exit 128'))).toEqual([]);
  expect(await gitFact(root, join(base, 'empty'))).toEqual([]);
});

test('S-22: git is told to fetch nothing: a repository names the program that would', async () => {
  const root = repository('fetching');
  const told = join(base, 'told');
  await gitFact(root, plantGit(join(base, 'fake'), `/usr/bin/env >> ${told}; exit 1`));
  const env = readFileSync(told, 'utf8').split('\n');
  expect(env).toEqual(
    expect.arrayContaining(['GIT_ALLOW_PROTOCOL=none', 'GIT_NO_LAZY_FETCH=1', 'GIT_TERMINAL_PROMPT=0']),
  );
});
