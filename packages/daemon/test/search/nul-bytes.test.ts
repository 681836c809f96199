import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { rgPath } from '@vscode/ripgrep';
import type { SearchQuery } from '@zerd/daemon/base/ports';
import { searchedBefore } from '@zerd/daemon/search/index/nul-bytes';
import { openIndex } from '@zerd/daemon/search/index/open-index';
import { createRipgrepSearch } from '@zerd/daemon/search/ripgrep';
import { randomOf } from './equality/random.ts';
import { laterClock } from './later-clock.ts';

let top: string;
let root: string;
const never = new AbortController().signal;
/** Tens of runs of ripgrep: on a machine that is shared they take what they take. */
const patienceMs = 300_000;

beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'nul-')));
  root = join(top, 'app');
  mkdirSync(root);
});

afterEach(() => rmSync(top, { recursive: true, force: true }));

function put(path: string, bytes: Buffer | string) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), bytes);
}

/** Lines of 10 bytes, and a NUL somewhere. */
function linesWithNul(lines: number, nul: number): Buffer {
  const bytes = Buffer.from(
    Array.from({ length: lines }, (_, n) => `needle${String(n % 1_000).padStart(3, '0')}\n`).join(''),
  );
  bytes[nul] = 0;
  return bytes;
}

test(
  'how far a file with a NUL is searched is how far ripgrep gets, whatever the lengths of lines',
  () => {
    const random = randomOf(3);
    for (let n = 0; n < 25; n += 1) {
      const lines = random.some(
        40,
        400,
        () => `needle${'x'.repeat(random.below(random.pick([60, 5_000, 200_000])))}\n`,
      );
      const bytes = Buffer.from(lines.join('').slice(0, 900_000));
      const nul = random.below(bytes.length);
      bytes[nul] = 0;
      put('f.txt', bytes);
      const args = ['--no-config', '--json', '-e', 'needle', './'];
      const out = spawnSync(rgPath, args, { cwd: root, maxBuffer: 1e9 }).stdout.toString('latin1').split('\n');
      const matches = out.filter((line) => line.startsWith('{"type":"match"')).map((line) => JSON.parse(line).data);
      const last = matches.at(-1);
      const end = last === undefined ? 0 : last.absolute_offset + last.lines.text.length;
      expect({ n, nul, end: searchedBefore(bytes, nul) }).toEqual({ n, nul, end });
    }
  },
  patienceMs,
);

const queries: readonly SearchQuery[] = [
  { pattern: 'needle', literal: true },
  { pattern: 'NEEDLE04', ignoreCase: true },
  { pattern: 'needle99\\d' },
  { pattern: 'needle7.7|le123', context: 2 },
  { pattern: 'needle998\\nneedle999', multiline: true },
  { pattern: 'needle\\p{Nd}5' },
];

async function checkAll(index: Awaited<ReturnType<typeof openIndex>>) {
  for (const query of queries) {
    const found = await index.query(query, never);
    const scanned = await createRipgrepSearch(root).search(query, never);
    if (found !== undefined) expect({ query, found: found.answer }).toEqual({ query, found: scanned });
  }
}

test(
  'a file with a late NUL is found up to there, by the index and by ripgrep, and the answer says so',
  async () => {
    put('early.bin', linesWithNul(20_000, 50));
    put('late.log', linesWithNul(20_000, 130_000));
    put('plain.txt', 'needle047\n');
    const scanned = await createRipgrepSearch(root).search({ pattern: 'needle047' }, never);
    expect(scanned).toMatchObject({
      files: [
        { path: 'late.log', count: 7 },
        { path: 'plain.txt', count: 1 },
      ],
      incomplete: 'late.log matches but holds binary data (a NUL byte); lines behind it may be missing',
    });
    const index = await openIndex({
      folder: join(top, 'index'),
      root,
      clock: laterClock,
      smallFiles: 0,
      threads: false,
    });
    await index.rebuild('a test');
    expect((await index.query({ pattern: 'needle047' }, never))?.answer).toEqual(scanned);
    await checkAll(index);
    // The same of files that changed since.
    put('plain.txt', linesWithNul(20_000, 70_000));
    put('late.log', 'needle047\n');
    put('new.bin', linesWithNul(9_000, 10));
    index.note({ changed: ['plain.txt', 'late.log', 'new.bin'], removed: [] });
    await checkAll(index);
    await index.close();
  },
  patienceMs,
);

test('a named file that is binary is not said to hold nothing', async () => {
  put('image.bin', linesWithNul(20, 50));
  const found = await createRipgrepSearch(root).search({ pattern: 'needle', path: 'image.bin' }, never);
  expect(found).toMatchObject({
    totalMatches: 0,
    incomplete: 'image.bin matches but holds binary data (a NUL byte); lines behind it may be missing',
  });
});
