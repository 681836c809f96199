/**
 * Gathers the facts of the moment that go in front of a session's first message: folder, date, platform, git branch and
 * number of changed files. Never in the system text, so that sessions share one cached prefix. A fact that cannot be had is left out.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { platform } from 'node:os';
import { delimiter, isAbsolute, join, normalize } from 'node:path';
import type { Clock } from '@zerd/protocol/node/clock';
import { isWithin } from '../files/resolve.ts';
import { type PlainRepository, plainRepository } from './plain-repository.ts';

/** git is asked without letting the repository run anything: no hooks, monitors, pagers, filters or locks. */
const hardened = [
  '--no-optional-locks',
  '--no-pager',
  '-c',
  'core.fsmonitor=false',
  '-c',
  'core.hooksPath=/dev/null',
  '-c',
  'core.pager=cat',
  '-c',
  'safe.bareRepository=explicit',
  '-c',
  'protocol.ext.allow=never',
];

const gitTimeoutMs = 2_000;

/** Nothing is asked of a person, and what is missing here is not fetched: the repository says where from and how. */
const ownWays = { GIT_TERMINAL_PROMPT: '0', GIT_ALLOW_PROTOCOL: 'none', GIT_NO_LAZY_FETCH: '1', LC_ALL: 'C' };

export async function gatherFacts(root: string, clock: Clock): Promise<string> {
  const lines = [`Working folder: ${root}`, `Date: ${localDate(clock.wall())}`, `Platform: ${platform()}`];
  return [...lines, ...(await gitFact(root))].join('\n');
}

async function gitFact(root: string): Promise<readonly string[]> {
  // A root with `.git` is a repository, also when git is missing or does not answer.
  if (!existsSync(join(root, '.git'))) return ['Not a git repository.'];
  const { branch, compares } = (await plainRepository(root)) ?? (await askedRepository(root));
  const kinds = compares ? ['--modified', '--others'] : ['--others'];
  const status = await git(root, ['ls-files', ...kinds, '--exclude-standard', '--directory', '-z']);
  if (status === undefined) return [];
  const on = branch === '' ? 'no branch' : `branch ${branch}`;
  return [compares ? `Git: ${on}, ${changed(status)}` : `Git: ${on}`];
}

async function askedRepository(root: string): Promise<PlainRepository> {
  const [branch, filters] = await Promise.all([
    git(root, ['symbolic-ref', '--short', '-q', 'HEAD']),
    git(root, ['config', '--show-scope', '--name-only', '--get-regexp', '^filter\\.']),
  ]);
  // To compare a file git runs the filters that the repository itself names: then, and when it is not known, nothing is compared.
  const compares = filters !== undefined && !/^(?:local|worktree)\t/m.test(filters);
  return { branch: branch?.trim() ?? '', compares };
}

function changed(status: string): string {
  const count = new Set(status.split('\0').filter(Boolean)).size;
  return count === 0 ? 'nothing changed' : `${count} changed or new ${count === 1 ? 'file' : 'files'}`;
}

function localDate(wall: number): string {
  const date = new Date(wall);
  const two = (n: number) => String(n).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** Undefined when there is no git, no repository, or no answer in time. */
function git(root: string, args: readonly string[]): Promise<string | undefined> {
  const env = { ...ownWays, PATH: safePath(root, process.env.PATH), HOME: process.env.HOME ?? '' };
  const options = { cwd: root, env, timeout: gitTimeoutMs, maxBuffer: 8 * 1024 * 1024 };
  return new Promise((resolve) => {
    execFile('git', [...hardened, ...args], options, (error, stdout) => {
      // `symbolic-ref -q` ends with 1 on a detached head: no branch, and no failure either.
      if (error && error.code !== 1) resolve(undefined);
      else resolve(stdout);
    });
  });
}

/** Folders outside the repository only: what lies in it, or where the process stands, must not pass for git. */
function safePath(root: string, path = ''): string {
  const folders = path.split(delimiter).filter((folder) => isAbsolute(folder) && !isWithin(root, normalize(folder)));
  return folders.length > 0 ? folders.join(delimiter) : '/usr/bin:/bin';
}
