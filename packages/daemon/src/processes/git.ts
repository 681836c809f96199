/**
 * The one way in which the daemon itself runs git. Invariant: nothing that a repository names is run, fetched or asked of
 * a person: no hook, monitor, pager, filter, diff program or helper, and no git that lies in the repository. What compares
 * files is asked only where the repository's own settings name no filter: git has no switch against those.
 */
import { execFile } from 'node:child_process';
import { delimiter, isAbsolute, normalize } from 'node:path';
import { isWithin } from '../files/resolve.ts';

/** Settings under which git runs nothing that a repository names, as far as settings help. */
export const runsNothing: readonly (readonly [name: string, value: string])[] = [
  ['core.fsmonitor', 'false'],
  ['core.hooksPath', '/dev/null'],
  ['core.pager', 'cat'],
  ['safe.bareRepository', 'explicit'],
  ['protocol.ext.allow', 'never'],
];

const hardened = [
  '--no-optional-locks',
  '--no-pager',
  ...runsNothing.flatMap(([name, value]) => ['-c', `${name}=${value}`]),
];

/** Whoever waits for the facts of a repository does not wait longer. */
const usualMs = 2_000;

/** What is missing here is not fetched: the repository says where from and how. */
export const fetchesNothing = { GIT_ALLOW_PROTOCOL: 'none', GIT_NO_LAZY_FETCH: '1' };
/** Nothing is asked of a person. */
const ownWays = { GIT_TERMINAL_PROMPT: '0', ...fetchesNothing, LC_ALL: 'C' };

/** Its standard output; undefined when there is no git, no repository, or no answer in time. */
export function git(root: string, args: readonly string[], timeoutMs = usualMs): Promise<string | undefined> {
  const env = { ...ownWays, PATH: safePath(root, process.env.PATH), HOME: process.env.HOME ?? '' };
  const options = { cwd: root, env, timeout: timeoutMs, maxBuffer: 8 * 1024 * 1024 };
  return new Promise((resolve) => {
    execFile('git', [...hardened, ...args], options, (error, stdout) => {
      // `symbolic-ref -q` ends with 1 on a detached head: no branch, and no failure either.
      if (error && error.code !== 1) resolve(undefined);
      else resolve(stdout);
    });
  });
}

/** Folders outside the repository only: what lies in it, or where the process stands, must not pass for git. */
export function safePath(root: string, path = ''): string {
  const folders = path.split(delimiter).filter((folder) => isAbsolute(folder) && !isWithin(root, normalize(folder)));
  return folders.length > 0 ? folders.join(delimiter) : '/usr/bin:/bin';
}
