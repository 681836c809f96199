/**
 * Gathers the facts of the moment that go in front of a session's first message: folder, date, platform, git branch and
 * number of changed files. Never in the system text, so that sessions share one cached prefix. A fact that cannot be had is left out.
 */
import { execFile } from 'node:child_process';
import { platform } from 'node:os';
import type { Clock } from '@zerd/protocol/node/clock';
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

export async function gatherFacts(root: string, clock: Clock): Promise<string> {
  const lines = [`Working folder: ${root}`, `Date: ${localDate(clock.wall())}`, `Platform: ${platform()}`];
  return [...lines, await gitFact(root)].join('\n');
}

async function gitFact(root: string): Promise<string> {
  const { branch, compares } = (await plainRepository(root)) ?? (await askedRepository(root));
  const kinds = compares ? ['--modified', '--others'] : ['--others'];
  const status = await git(root, ['ls-files', ...kinds, '--exclude-standard', '--directory', '-z']);
  if (status === undefined) return 'Not a git repository.';
  const on = branch === '' ? 'no branch' : `branch ${branch}`;
  return compares ? `Git: ${on}, ${changed(status)}` : `Git: ${on}`;
}

async function askedRepository(root: string): Promise<PlainRepository> {
  const [branch, filters] = await Promise.all([
    git(root, ['symbolic-ref', '--short', '-q', 'HEAD']),
    git(root, ['config', '--show-scope', '--name-only', '--get-regexp', '^filter\\.']),
  ]);
  // To compare a file git runs the filters that the repository itself names: then nothing is compared.
  return { branch: branch?.trim() ?? '', compares: !/^(?:local|worktree)\t/m.test(filters ?? '') };
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
  const env = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' };
  const options = { cwd: root, env, timeout: gitTimeoutMs, maxBuffer: 8 * 1024 * 1024 };
  return new Promise((resolve) => {
    execFile('git', [...hardened, ...args], options, (error, stdout) => {
      // `symbolic-ref -q` ends with 1 on a detached head: no branch, and no failure either.
      if (error && error.code !== 1) resolve(undefined);
      else resolve(stdout);
    });
  });
}
