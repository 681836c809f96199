/** The sample repository of the demonstration: its first commit, its tests as a judge runs them, what was changed. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

// Nothing of the user's git configuration takes part, and no hook or filter runs.
const gitEnv = {
  PATH: process.env.PATH,
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'demo',
  GIT_AUTHOR_EMAIL: 'demo@localhost',
  GIT_COMMITTER_NAME: 'demo',
  GIT_COMMITTER_EMAIL: 'demo@localhost',
};

export function commitSample(folder) {
  git(folder, '-c', 'init.defaultBranch=main', 'init', '-q');
  git(folder, 'add', '-A');
  git(folder, 'commit', '-qm', 'Start with failing tests');
}

/** What differs from the first commit, new files too. */
export function diffOf(folder) {
  git(folder, 'add', '-AN');
  return git(
    folder,
    '--no-pager',
    '-c',
    'core.fsmonitor=false',
    'diff',
    '--no-ext-diff',
    '--no-textconv',
    '--no-color',
    'HEAD',
  );
}

/** Runs the tests as they lie there, past package.json, which the model may have changed. */
export function runSampleTests(folder) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--test', '--test-reporter=spec', ...testFiles(folder)],
    {
      cwd: folder,
      env: { PATH: process.env.PATH, NO_COLOR: '1' },
      encoding: 'utf8',
      timeout: 60_000,
    },
  );
  return { green: status === 0, output: `${stdout}${stderr}` };
}

/** Of the names and contents of the test files: another one means that they were edited. */
export function testFingerprint(folder) {
  const hash = createHash('sha256');
  for (const file of testFiles(folder))
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(folder, file)))
      .update('\0');
  return hash.digest('hex');
}

function testFiles(folder) {
  const files = readdirSync(join(folder, 'test'), { recursive: true }).map((name) => join('test', name));
  return files.filter((file) => /\.test\.[cm]?js$/.test(file)).sort();
}

function git(folder, ...args) {
  const { status, stdout, stderr } = spawnSync('git', args, { cwd: folder, env: gitEnv, encoding: 'utf8' });
  if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`);
  return stdout;
}
