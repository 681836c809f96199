/** What a replay is made of: texts, places, samples, edits, outputs, gaps. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createCommandBook } from '../../../src/bench/session/commands.ts';
import { applyEdit, makeEdit, makeFailingEdit } from '../../../src/bench/session/edit-text.ts';
import { promptGaps, stepGaps } from '../../../src/bench/session/gaps.ts';
import { pathsFor, plainPath } from '../../../src/bench/session/made-path.ts';
import { makeText } from '../../../src/bench/session/made-text.ts';
import type { RecordedCall } from '../../../src/bench/session/recorded.ts';
import { isPlainRegex, matches, pathSample, sampleOf } from '../../../src/bench/session/sample.ts';

const sizes = fc.record({
  seed: fc.constantFrom('f1', 'q2', 'f1z'),
  bytes: fc.nat(6_000),
  lineBreaks: fc.nat(200),
  closed: fc.boolean(),
});

/** Half of a character. */
const half = /\p{Surrogate}/u;

test('a text has exactly the bytes and line breaks that were wished, and whole characters', () => {
  fc.assert(
    fc.property(sizes, (wish) => {
      const text = makeText(wish);
      expect([Buffer.byteLength(text), text.split('\n').length - 1]).toEqual([
        wish.bytes,
        Math.min(wish.lineBreaks, wish.bytes),
      ]);
      expect(text).not.toMatch(half);
      expect(makeText(wish)).toBe(text);
    }),
  );
  expect(makeText({ seed: 's', bytes: 90_000, lineBreaks: 2_000, closed: true })).toMatch(/[^\0-\x7f]/);
});

test('an edit of any size at any place replaces a text that is there once, or all that are alike', () => {
  const edits = fc.record({
    line: fc.option(fc.nat(400), { nil: undefined }),
    oldLines: fc.nat(40),
    oldBytes: fc.nat(2_000),
    newLines: fc.nat(40),
    newBytes: fc.nat(2_000),
    occurrences: fc.option(fc.nat(5), { nil: undefined }),
    all: fc.boolean(),
  });
  fc.assert(
    fc.property(sizes, fc.array(edits, { maxLength: 6 }), fc.boolean(), (wish, wished, seen) => {
      let text = makeText(wish);
      for (const [i, edit] of wished.entries()) {
        const failing = makeFailingEdit(text, edit, `x${i}`);
        const made = makeEdit(text, edit, seen, `e${i}`);
        expect(placesOf(text, failing.old)).not.toBe(1);
        expect(made === undefined).toBe(text === '');
        if (made === undefined) continue;
        const places = placesOf(text, made.old);
        expect([made.old === made.new, made.all === true && seen ? places > 0 : places === 1]).toEqual([false, true]);
        expect(made.old + made.new).not.toMatch(half);
        text = applyEdit(text, made);
      }
    }),
  );
});

function placesOf(text: string, part: string): number {
  let places = 0;
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1)) places += 1;
  return places;
}

test.each([
  ['src/a.go', 'src/a.go'],
  ['./src//a.go', 'src/a.go'],
  ['/home/me/a.go', 'outside/home/me/a.go'],
  ['<home>/…/plan.md', 'outside/_home_/…/plan.md'],
  ['~/x', 'outside/_/x'],
  ['C:\\work\\a b.ts', 'outside/_C/work/a b.ts'],
  ['../a', 'outside/_/a'],
  ['.git/config', '_git/config'],
  ['.github/ci.yml', '.github/ci.yml'],
  ['', '.'],
  ['.', '.'],
])('the path %j is played at %j', (recorded, played) => {
  expect(plainPath(recorded)).toBe(played);
});

test('no path is a file and a folder', () => {
  const pathOf = pathsFor(['a', 'a/b/c.ts', 'x.ts']);
  expect(['a', 'a/b', 'a/b/c.ts', 'x.ts'].map(pathOf)).toEqual(['a.file', 'a/b', 'a/b/c.ts', 'x.ts']);
  expect(Buffer.byteLength(pathOf('n'.repeat(300)))).toBeLessThan(130);
});

test.each([
  ['func \\(s \\*Store\\) Get', 'func (s *Store) Get'],
  ['Entire-Checkpoint|Checkpoint:', 'Entire-Checkpoint'],
  ['^func.*Write(Committed|Temporary)\\(', 'funcWriteCommitted('],
  ['CheckpointID\\([^)]+\\)', 'CheckpointID(x)'],
  ['TrailerKey\\s*=', 'TrailerKey='],
  ['\\bv\\d{2}[.]\\w+$', 'v77.w'],
  ['(?i)error', 'error'],
  ['a{2,}b?', 'aab'],
  ['(?<!x)y', undefined],
  ['(a)\\1', undefined],
  ['', undefined],
])('%j finds %j', (pattern, sample) => {
  expect(sampleOf(pattern)).toBe(sample);
  if (sample !== undefined) expect(matches(pattern, sample)).toBe(true);
});

test.each([
  ['a.b', true],
  ['\\"x\\"', true],
  ['x{2,3}', true],
  ['interface{}', false],
  ['foo(', false],
  ['*.ts', false],
  ['(?=a)', false],
  ['(a)\\1', false],
  ['x\\_y', false],
  ['[{]', true],
])('whether %j is taken as a regular expression is %j', (pattern, plain) => {
  expect(isPlainRegex(pattern)).toBe(plain);
});

test.each([
  ['**/*.go', 'n.go'],
  ['docs/**', 'docs/n'],
  ['src/*.{ts,tsx}', 'src/n.ts'],
  ['!*.md', undefined],
])('the glob %j matches %j', (glob, path) => {
  expect(pathSample(glob, 'n')).toBe(path);
});

const recorded = (more: Partial<RecordedCall>): RecordedCall => ({
  request: 0,
  tool: 'shell',
  args: {},
  resultBytes: 0,
  resultLines: 0,
  resultHash: '',
  gapMs: 0,
  isError: false,
  ...more,
});

test('a command prints run for run as many bytes as recorded and ends so; runs differ in a few lines, equal results do not', () => {
  const book = createCommandBook();
  const runs = [
    recorded({ resultBytes: 5_000, resultLines: 100, resultHash: 'a', isError: true }),
    recorded({ resultBytes: 5_040, resultLines: 101, resultHash: 'b' }),
    recorded({ resultBytes: 5_040, resultLines: 101, resultHash: 'b' }),
    recorded({}),
  ];
  const commands = runs.map((run) => book.play('t', `it's "here" $(x)`, run));
  expect(new Set(commands)).toEqual(new Set([`sh .recorded/c1 'it'"'"'s "here" $(x)'`]));
  const folder = mkdtempSync(join(tmpdir(), 'commands-'));
  try {
    for (const [path, text] of book.files()) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    const outputs = commands.map((command) => {
      const output = execFileSync('sh', ['-c', `${command}; printf '\\n%s' $?`], { cwd: folder, encoding: 'utf8' });
      const end = output.lastIndexOf('\n');
      return [output.slice(0, end), output.slice(end + 1)] as const;
    });
    expect(outputs.map(([text, code]) => [Buffer.byteLength(text), code])).toEqual([
      [5_000, '1'],
      [5_040, '0'],
      [5_040, '0'],
      [0, '0'],
    ]);
    const [first = '', second = '', third] = outputs.map(([text]) => text);
    const before = new Set(first.split('\n'));
    const changed = second.split('\n').filter((line) => !before.has(line)).length;
    expect([third === second, changed > 0, changed < 30]).toEqual([true, true, true]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('every gap of a request is waited for once, before the answer that it led to', () => {
  const requests = [0, 10, 20, 30, 400, 50].map((gapMs, request) => ({ request, gapMs }));
  const calls = [
    recorded({ request: 1 }),
    recorded({ request: 1 }),
    recorded({ request: 3 }),
    recorded({ request: 5 }),
  ];
  const prompts = [
    { beforeCall: 0, beforeRequest: 0, bytes: 1, idleMs: 0 },
    { beforeCall: 3, beforeRequest: 4, bytes: 1, idleMs: 390 },
  ];
  const gaps = (turn: number, groups: readonly (readonly number[])[]) =>
    stepGaps({ requests, calls }, groups, promptGaps(prompts, turn));
  expect([gaps(0, [[0, 1], [2]]), gaps(1, [[3]])]).toEqual([
    [10, 50, 0],
    [450, 0],
  ]);
  const own = calls.map((call, i) => ({ ...call, gapMs: 7 * i }));
  expect(stepGaps({ requests: [], calls: own }, [[3]], promptGaps(prompts, 1))).toEqual([390, 0]);
});
