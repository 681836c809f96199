import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { systemClock } from '@zerd/protocol/node/clock';
import { checkStore } from '../../src/store/check-store.ts';
import { databaseName, openStore } from '../../src/store/open.ts';
import { one, said, temporaryFolder, texts } from './temporary.ts';

type Harm = (file: string, folder: string) => void;

const harms: readonly (readonly [what: string, lost: string, harm: Harm])[] = [
  ['the state folder is deleted', '', (_file, folder) => rmSync(folder, { recursive: true })],
  ['the state folder is moved away', '', (_file, folder) => renameSync(folder, `${folder}-away`)],
  ['the database is deleted', '', (file) => rmSync(file)],
  ['its log is deleted', '-wal', (file) => rmSync(`${file}-wal`)],
  [
    'another file takes its place',
    '',
    (file) => {
      writeFileSync(`${file}.new`, '');
      renameSync(`${file}.new`, file);
    },
  ],
];

for (const [what, part, harm] of harms)
  test(`when ${what}, nothing more is acknowledged, it is said, and what was said can still be read`, async () => {
    const folder = join(temporaryFolder(), 'state');
    const file = join(folder, databaseName);
    const store = await openStore({ folder, clock: systemClock });
    await store.append(one, [said('before')]);
    harm(file, folder);
    await expect(store.append(one, [said('after')])).rejects.toMatchObject({
      code: 'store_failed',
      message: expect.stringContaining(`${file}${part} was deleted or replaced while the daemon worked with it.`),
    });
    expect(texts(store.read(one))).toEqual([[1, 'before']]);
    expect(checkStore(store, folder)).toMatchObject({
      ok: false,
      says: expect.stringContaining(`${file}${part} was deleted or replaced`),
      todo: expect.stringContaining('`zerd export SESSION`'),
    });
    await store.close();
  });
