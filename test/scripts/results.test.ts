import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';

const house = join(import.meta.dirname, '../..');
const results = 'node_modules/.cache/zerd/test-results';
let above = '';
let tree = '';

beforeEach(() => {
  above = mkdtempSync(join(tmpdir(), 'zerd-results-'));
  tree = join(above, 'tree');
  for (const folder of ['.ci', 'bin', 'scripts', 'node_modules/jest/bin', 'node_modules/.cache/zerd'])
    mkdirSync(join(tree, folder), { recursive: true });
  for (const file of ['.ci/run', 'scripts/test', 'scripts/test-results.mjs'])
    copyFileSync(join(house, file), join(tree, file));
  write('scripts/prepare.sh', '#!/usr/bin/env bash\n');
});

afterEach(() => rmSync(above, { recursive: true, force: true }));

function write(file: string, text: string): void {
  writeFileSync(join(tree, file), text, { mode: 0o755 });
}

/** A jest that says how it was called, leaves these results (none: it broke off) and ends with this status. */
function useJest(status: number, counts?: object): void {
  const leave =
    counts === undefined
      ? ''
      : `fs.writeFileSync(process.argv[3].slice('--outputFile='.length), ${JSON.stringify(JSON.stringify(counts))});`;
  write(
    'node_modules/jest/bin/jest.js',
    `const fs = require('node:fs'); console.error('jest', ...process.argv.slice(4)); ${leave} process.exit(${status});`,
  );
}

function run(script: string, args: readonly string[] = [], env: Record<string, string> = {}) {
  const path = `${join(tree, 'bin')}:${process.env.PATH}`;
  const options = { cwd: '/', env: { PATH: path, ...env }, encoding: 'utf8', input: 'not read' } as const;
  const { status, stdout, stderr } = spawnSync('bash', [join(tree, script), ...args], options);
  return { status, stdout, stderr, last: stdout.trimEnd().split('\n').at(-1) };
}

const passed = { numPassedTests: 12, numFailedTests: 0, numRuntimeErrorTestSuites: 0 };
const failed = { numPassedTests: 10, numFailedTests: 2, numRuntimeErrorTestSuites: 1 };

test('scripts/test ends with the counts of jest and with its status', () => {
  useJest(0, passed);
  expect(run('scripts/test')).toMatchObject({ status: 0, stdout: '24 passed, 0 failed\n' });
  useJest(1, failed);
  expect(run('scripts/test')).toMatchObject({ status: 1, stdout: '20 passed, 6 failed\n' });
});

test('the whole suite is two runs, of which one has nothing beside it', () => {
  useJest(0, passed);
  expect(run('scripts/test').stderr).toBe(
    'jest --selectProjects unit --maxWorkers=2\njest --selectProjects proc fault --runInBand\n',
  );
});

test('a run that leaves no results counts as a failure beside one that passed', () => {
  useJest(0, passed);
  write(
    'node_modules/jest/bin/jest.js',
    `const fs = require('node:fs'); if (process.argv.includes('fault')) process.exit(2);
    fs.writeFileSync(process.argv[3].slice('--outputFile='.length), '${JSON.stringify(passed)}');`,
  );
  expect(run('scripts/test')).toMatchObject({ status: 2, stdout: '12 passed, 1 failed\n' });
});

test('scripts/test hands its arguments to jest, and counts that run alone', () => {
  useJest(0, passed);
  expect(run('scripts/test', ['packages/cli', '-t', 'two words'])).toMatchObject({
    stdout: '12 passed, 0 failed\n',
    stderr: 'jest packages/cli -t two words\n',
  });
});

test('results of an earlier run are never shown for one that broke off', () => {
  useJest(0, passed);
  run('scripts/test');
  useJest(2);
  expect(run('scripts/test')).toMatchObject({
    status: 2,
    stdout: '0 passed, 2 failed\n',
    stderr: expect.stringContaining('The tests did not run'),
  });
});

test('scripts/test does not run jest when the tree could not be prepared', () => {
  useJest(0, passed);
  run('scripts/test');
  write('scripts/prepare.sh', '#!/usr/bin/env bash\nexit 1\n');
  expect(run('scripts/test')).toMatchObject({ status: 1, stdout: '' });
});

const runs: readonly (readonly [jest: number, counts: object, check: number, status: number, last: string])[] = [
  [0, passed, 0, 0, '24 passed, 0 failed'],
  [0, passed, 1, 1, '24 passed, 0 failed'],
  [1, failed, 0, 1, '20 passed, 6 failed'],
];

for (const [jest, counts, check, status, last] of runs)
  test(`.ci/run with jest ${jest} and check ${check} ends with ${status}`, () => {
    useJest(jest, counts);
    write('bin/npm', `#!/usr/bin/env bash\necho "npm $*"\nexit ${check}\n`);
    const { stdout, ...said } = run('.ci/run');
    expect(said).toMatchObject({ status, last });
    expect(stdout).toContain('npm run -s check\n');
  });

test('.ci/run fails when the data that it is given is empty, and says where', () => {
  useJest(0, passed);
  mkdirSync(join(above, 'shared/data'), { recursive: true });
  expect(run('.ci/run')).toMatchObject({ status: 1, stderr: expect.stringContaining(join(above, 'shared/data')) });
});

test('.ci/run shows the tests the data beside the tree', () => {
  mkdirSync(join(above, 'shared/data/noise'), { recursive: true });
  write('bin/npm', '#!/usr/bin/env bash\n');
  write(
    'scripts/test',
    `#!/usr/bin/env bash\necho "data $ZERD_DATA ci $CI"; mkdir -p ${results}; echo '${JSON.stringify(passed)}' >${results}/some.json\n`,
  );
  expect(run('.ci/run').stdout).toContain(`data ${join(above, 'shared/data')} ci true\n`);
});
