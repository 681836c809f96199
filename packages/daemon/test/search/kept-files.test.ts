import {
  lstatSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createKeptFiles } from '@zerd/daemon/search/index/kept-files';
import { stampOf } from '@zerd/daemon/search/index/stamps';

let root: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'kept-')));
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

function put(path: string, text: string) {
  writeFileSync(join(root, path), text);
  return stampOf(lstatSync(join(root, path)));
}

test('a file is given as it was indexed, once read from memory, and never in a later state', () => {
  const kept = createKeptFiles(10_000);
  const stamp = put('a', 'one');
  const { atime, mtime } = lstatSync(join(root, 'a'));
  const read = () => kept.read(root, 'a', stamp, 3)?.bytes.toString();
  expect([read(), read(), kept.bytes()]).toEqual(['one', 'one', 259]);
  put('a', 'two');
  utimesSync(join(root, 'a'), atime, mtime);
  expect(read()).toBeUndefined();
  unlinkSync(join(root, 'a'));
  expect(read()).toBeUndefined();
  put('b', 'one');
  symlinkSync('b', join(root, 'a'));
  expect(read()).toBeUndefined();
});

test('what was used longest ago goes first when there is no more room', () => {
  const kept = createKeptFiles(3 * 300);
  const stamps = ['a', 'b', 'c', 'd'].map((path) => [path, put(path, path.repeat(40))] as const);
  for (const [path, stamp] of stamps) kept.read(root, path, stamp, 40);
  expect(kept.bytes()).toBe(3 * 296);
  kept.clear();
  expect(kept.bytes()).toBe(0);
});

test('a search for more than there is room for leaves in memory what it read first', () => {
  const kept = createKeptFiles(2 * 296);
  const stamps = ['a', 'b', 'c'].map((path) => [path, put(path, path.repeat(40))] as const);
  const search = () => {
    kept.begin();
    return stamps.map(([path, stamp]) => kept.read(root, path, stamp, 40)?.ends() !== undefined);
  };
  expect([search(), kept.bytes(), search()]).toEqual([[false, false, false], 592, [true, true, false]]);
});

test('a large file of which little is looked into is kept when it is asked for again', () => {
  const kept = createKeptFiles(10_000_000);
  const stamp = put('a', 'x'.repeat(200_000));
  const size = (wanted: number) => kept.read(root, 'a', stamp, wanted)?.bytes.length;
  expect([size(16_384), size(16_384), size(16_384)]).toEqual([undefined, 200_000, 200_000]);
  kept.clear();
  expect([size(150_000), kept.bytes()]).toEqual([200_000, 200_256]);
});

test('where lines end is known of a file that was looked into before, and counts as kept', () => {
  const kept = createKeptFiles(10_000);
  const stamp = put('a', 'one\ntwo\n');
  const ends = () => kept.read(root, 'a', stamp, 8)?.ends();
  expect([ends(), ends(), ends(), kept.bytes()]).toEqual([undefined, Uint32Array.of(3, 7), Uint32Array.of(3, 7), 272]);
});
