import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { openWorkFolder } from '@zerd/daemon/files/work-folder';

test('F-25: a folder is there until it is deleted, is none when a file stands in its place, and is there when it is back', async () => {
  const parent = mkdtempSync(join(tmpdir(), 'zerd-folder-'));
  const root = join(parent, 'work');
  mkdirSync(root);
  const folder = openWorkFolder(root);
  const seen = [await folder.there()];
  rmSync(root, { recursive: true });
  seen.push(await folder.there());
  writeFileSync(root, '');
  seen.push(await folder.there());
  rmSync(root);
  mkdirSync(root);
  seen.push(await folder.there());
  rmSync(parent, { recursive: true });
  expect(seen).toEqual([true, false, false, true]);
});

/** Device and names as they are found one after another. */
async function check(
  found: readonly (readonly [device: number | undefined, names: number])[],
  expected: readonly boolean[],
) {
  let at = 0;
  const look = { device: async () => found[at]?.[0], names: async () => found[at]?.[1] ?? 0 };
  const folder = openWorkFolder('/w', look, 1);
  const seen: boolean[] = [];
  for (; at < found.length; at++) seen.push(await folder.there());
  expect(seen).toEqual(expected);
}

test('F-25: the empty folder that an unmounted disk leaves is none', async () => {
  await check(
    [
      [1, 9],
      [2, 0],
      [2, 0],
      [1, 9],
    ],
    [true, false, false, true],
  );
});

test('a disk that does not answer is not there', async () => {
  await check(
    [
      [1, 9],
      [undefined, 0],
      [1, 9],
    ],
    [true, false, true],
  );
});

test('an empty folder where it always lay is one, and so is one with files on another disk, from then on', async () => {
  await check(
    [
      [1, 0],
      [2, 3],
      [2, 0],
      [1, 0],
    ],
    [true, true, true, false],
  );
});
