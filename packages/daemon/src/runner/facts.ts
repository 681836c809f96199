/**
 * Gathers the facts of the moment that go in front of a session's first message: folder, date, platform, git branch and
 * number of changed files, a lock that git left. Never in the system text, so that sessions share one cached prefix. A fact that cannot be had is left out.
 */
import { existsSync } from 'node:fs';
import { platform } from 'node:os';
import { join } from 'node:path';
import { folderLine } from '@zerd/core/context/remind/folder-moved';
import type { Clock } from '@zerd/protocol/node/clock';
import { git } from '../processes/git.ts';
import { type PlainRepository, plainRepository } from './plain-repository.ts';
import { staleLock } from './stale-lock.ts';

/** `gitMs`: how long each question to git may take. */
export async function gatherFacts(root: string, clock: Clock, gitMs?: number): Promise<string> {
  const lines = [folderLine(root), `Date: ${localDate(clock.wall())}`, `Platform: ${platform()}`];
  const [gitFacts, lock] = await Promise.all([gitFact(root, gitMs), staleLock(root, clock)]);
  return [...lines, ...gitFacts, ...lock].join('\n');
}

async function gitFact(root: string, gitMs: number | undefined): Promise<readonly string[]> {
  // A root with `.git` is a repository, also when git is missing or does not answer.
  if (!existsSync(join(root, '.git'))) return ['Not a git repository.'];
  const { branch, compares } = (await plainRepository(root)) ?? (await askedRepository(root, gitMs));
  const kinds = compares ? ['--modified', '--others'] : ['--others'];
  const status = await git(root, ['ls-files', ...kinds, '--exclude-standard', '--directory', '-z'], gitMs);
  if (status === undefined) return [];
  const on = branch === '' ? 'no branch' : `branch ${branch}`;
  return [compares ? `Git: ${on}, ${changed(status)}` : `Git: ${on}`];
}

async function askedRepository(root: string, gitMs: number | undefined): Promise<PlainRepository> {
  const [branch, filters] = await Promise.all([
    git(root, ['symbolic-ref', '--short', '-q', 'HEAD'], gitMs),
    git(root, ['config', '--show-scope', '--name-only', '--get-regexp', '^filter\\.'], gitMs),
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
