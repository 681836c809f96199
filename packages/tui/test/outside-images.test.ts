import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { outsideImages } from '../src/app/outside-images.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'zerd-outside-'));
  writeFileSync(join(folder, 'a.png'), 'ABC');
  writeFileSync(join(folder, 'b c.PNG'), 'DEF');
  writeFileSync(join(folder, 'a.txt'), 'text');
  writeFileSync(join(folder, 'large.png'), Buffer.alloc(5_000_001));
});
afterEach(() => rmSync(folder, { recursive: true }));

const at = (name: string) => join(folder, name);

test('an image that is named by its whole path comes along, quoted where it has spaces', async () => {
  expect(await outsideImages(`Like @${at('a.png')}, not @"${at('b c.PNG')}".`)).toEqual({
    images: [
      { name: at('a.png'), data: 'QUJD' },
      { name: at('b c.PNG'), data: 'REVG' },
    ],
  });
});

test('what the daemon finds itself, what is no image and what is not there stay words', async () => {
  expect(
    await outsideImages(`@shot.png @docs/a.png ${at('a.png')} @${at('a.txt')} @${at('none.png')} @${folder}.png`),
  ).toEqual({});
});

test('one that is too large is refused before anything is sent', async () => {
  await expect(outsideImages(`@${at('large.png')}`)).rejects.toThrow(
    `${at('large.png')} is too large to be shown: 5000001 bytes, the limit is 5000000. Nothing was sent.`,
  );
});
