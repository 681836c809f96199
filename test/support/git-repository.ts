/** Makes a folder a git repository with one commit that is the same on every machine and at every time. */
import { runProgram } from './run-program.ts';

const identity = {
  GIT_AUTHOR_NAME: 'A',
  GIT_AUTHOR_EMAIL: 'a@example.org',
  GIT_AUTHOR_DATE: '2026-01-02T03:04:05Z',
  GIT_COMMITTER_NAME: 'A',
  GIT_COMMITTER_EMAIL: 'a@example.org',
  GIT_COMMITTER_DATE: '2026-01-02T03:04:05Z',
};

export async function makeGitRepository(folder: string): Promise<void> {
  for (const args of [
    ['init', '-q', '-b', 'main'],
    ['add', '.'],
    ['commit', '-q', '--allow-empty', '-m', 'Begin'],
  ]) {
    const env = {
      PATH: process.env.PATH ?? '/usr/bin:/bin',
      HOME: folder,
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_NOSYSTEM: '1',
      ...identity,
    };
    const { code, stderr } = await runProgram(['git', ...args], { cwd: folder, env });
    if (code !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`);
  }
}
