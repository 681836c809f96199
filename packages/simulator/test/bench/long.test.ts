/** The long script: its repository, its calls, and its test script played without an agent. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { benchScripts } from '../../src/bench/bench-scripts.ts';
import { longFiles, longMends, rulesFiles } from '../../src/bench/long-files.ts';
import { longSteps } from '../../src/bench/long-steps.ts';

test('the files never change: 40 sources of about 300 lines, the tests, the log', () => {
  const files = [...longFiles()];
  const sources = files.filter(([path]) => path.endsWith('.go'));
  expect([files.length, sources.length, new Set(sources.map(([, text]) => text)).size]).toEqual([42, 40, 40]);
  expect(sources.every(([, text]) => text.split('\n').length === 305)).toBe(true);
  expect(createHash('sha256').update(JSON.stringify(files)).digest('hex').slice(0, 16)).toMatchInlineSnapshot(
    `"b3db16f27c670b8a"`,
  );
  expect([rulesFiles().size, rulesFiles().get('AGENTS.md')?.trimEnd().split('\n').length]).toEqual([43, 6000]);
});

test('seed28 is seed with a log of 28,000 bytes', () => {
  const { seed, seed28 } = benchScripts;
  const sizes = [seed, seed28].map((script) => script?.files().get('test.log')?.length);
  expect([sizes, seed28?.steps]).toEqual([[30_700, 28_000], seed?.steps]);
});

test('150 calls: 40 files read, 30 of them again after their edit, 30 edits, 30 test runs, searches and the log again', () => {
  const calls = longSteps().flatMap(({ calls = [] }) =>
    calls.map(({ name, input }) => ({ name, input: input as Input })),
  );
  const of = (name: string) => calls.filter((call) => call.name === name);
  const reads = of('read').map(({ input }) => input.path);
  const commands = of('shell').map(({ input }) => input.command);
  expect({
    calls: calls.length,
    reads: reads.length,
    distinct: new Set(reads).size,
    edits: of('edit').length,
    tests: commands.filter((command) => command === 'sh test.sh').length,
    logs: commands.filter((command) => command === 'cat build.log').length,
    searches: of('search').length,
    patterns: new Set(of('search').map(({ input }) => input.pattern)).size,
  }).toEqual({
    calls: 150,
    reads: 70,
    distinct: 40,
    edits: 30,
    tests: 30,
    logs: 4,
    searches: 16,
    patterns: 4,
  });
  const againAfterEdit = calls.filter(
    ({ name, input }, i) => name === 'read' && calls[i - 2]?.name === 'edit' && calls[i - 2]?.input.path === input.path,
  );
  expect(againAfterEdit).toHaveLength(30);
});

interface Input {
  readonly path?: string;
  readonly command?: string;
  readonly pattern?: string;
}

test('every mend matches once, changes what the tests say by a few lines, and all of them make them pass', () => {
  const folder = mkdtempSync(join(tmpdir(), 'long-'));
  try {
    for (const [path, text] of longFiles()) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    let before = run(folder).split('\n');
    expect([before.length > 120, before.at(-2)]).toEqual([true, 'FAIL: 30 of 30 packages']);
    for (const mend of longMends()) {
      const file = join(folder, mend.path);
      const parts = readFileSync(file, 'utf8').split(mend.old);
      expect([mend.path, parts.length]).toEqual([mend.path, 2]);
      writeFileSync(file, parts.join(mend.new));
      const after = run(folder).split('\n');
      expect(after.filter((line) => !before.includes(line))).toHaveLength(2);
      before = after;
    }
    expect(before.at(-2)).toBe('ok: 30 packages');
  } finally {
    rmSync(folder, { recursive: true });
  }
}, 60_000);

function run(folder: string): string {
  return execFileSync('sh', ['-c', 'sh test.sh || true'], {
    cwd: folder,
    encoding: 'utf8',
  });
}
