import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';

const repository = join(import.meta.dirname, '../../../..');
const folder = mkdtempSync(join(tmpdir(), 'without-files-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('F-42: what cannot be started for want of files says so, is no defect, and can be started afterwards', () => {
  const program = join(folder, 'program.mjs');
  const source = join(import.meta.dirname, 'start-without-files.ts');
  const options = ['--bundle', '--platform=node', '--format=esm', '--conditions=zerd-source', '--log-level=error'];
  const own = ['--external:@vscode/ripgrep', `--outfile=${program}`];
  execFileSync(join(repository, 'node_modules/.bin/esbuild'), [source, ...options, ...own]);
  // The package with ripgrep is found from beside the program.
  execFileSync('ln', ['-s', join(repository, 'node_modules'), join(folder, 'node_modules')]);
  const script = 'ulimit -n 64; exec "$0" "$@"';
  const env = { PATH: process.env.PATH ?? '' };
  const said = execFileSync('bash', ['-c', script, process.execPath, program], { env, encoding: 'utf8' });
  expect(JSON.parse(said)).toEqual({ search: 'out of files', sent: false, gone: true, again: 0 });
});
