import { mkdtempSync, realpathSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { ArchiveId } from '@zerd/protocol/common/ids';
import { png } from '../../../../../test/support/images.ts';
import type { Store } from '../../../src/base/ports.ts';
import { attachImages } from '../../../src/runner/images/attach-images.ts';

let root: string;
beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'zerd-attach-')));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const store = { archive: { put: async () => 'abcdef0123456789' as ArchiveId } } as unknown as Pick<Store, 'archive'>;

test('I4: of images that are too large, however many a message names, none is read', async () => {
  const names = Array.from({ length: 50 }, (_, n) => `${n}.png`);
  for (const name of names) {
    writeFileSync(join(root, name), png(9, 9));
    truncateSync(join(root, name), 100 * 1024 * 1024);
  }
  const text = names.map((name) => `@${name}`).join(' ');
  await expect(attachImages({ root, store }, { text }, { images: null })).rejects.toMatchObject({
    code: 'invalid_params',
    message:
      '0.png is too large to be shown: 104,857,600 bytes, the limit is 5,000,000 bytes. zerd does not scale images: make a smaller one, or show a part of it. Nothing of the message was kept.',
  });
});
