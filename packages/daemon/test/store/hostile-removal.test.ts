import { closeSync, mkdirSync, openSync, readFileSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import type { SessionId } from '@zerd/protocol/common/ids';
import { systemClock } from '@zerd/protocol/node/clock';
import { openSmallDisk } from '../../../../test/support/small-disk.ts';
import { created } from '../../../core/test/session/events.ts';
import { checkStore } from '../../src/store/check-store.ts';
import { databaseName, openStore } from '../../src/store/open.ts';
import { one, said, temporaryFolder, two } from './temporary.ts';

const disk = openSmallDisk(48);
afterAll(() => disk?.unmount());
/** The test is skipped by name where nothing can be mounted. */
const testOnDisk = disk === undefined ? test.skip : test;

type Store = Awaited<ReturnType<typeof openStore>>;
const open = (folder: string) => openStore({ folder, clock: systemClock });

async function fill(store: Store, sessionId: SessionId, word: string, events: number): Promise<void> {
  await store.append(sessionId, [created]);
  for (let count = 0; count < events; count++)
    await store.append(sessionId, [said(`${word} ${count} ${'x'.repeat(9_000)}`)]);
}

testOnDisk(
  'F-37: a session is removed from a full disk, and its bytes go when there is room to write all anew',
  async () => {
    const folder = join(disk?.folder ?? '', 'state');
    mkdirSync(folder, { mode: 0o700 });
    const file = join(folder, databaseName);
    const store = await open(folder);
    await fill(store, one, 'CANARY', 60);
    await fill(store, two, 'stays', 700);
    const body = await store.archive.put('a body of nobody');
    disk?.fillUp();
    await store.removeSession(one);
    expect([store.session(one), store.read(two).length, store.health().leftBytes]).toEqual([undefined, 701, true]);
    expect(checkStore(store, folder)).toMatchObject({ ok: false, says: expect.stringContaining('are still in') });
    await store.close();
    expect(readFileSync(file, 'latin1')).toContain('CANARY');
    disk?.makeRoom();
    const again = await open(folder);
    expect([again.health().leftBytes, again.session(one), again.read(two).length]).toEqual([false, undefined, 701]);
    expect((await again.archive.locate(body))?.bytes).toBe(16);
    await again.close();
    expect(readFileSync(file, 'latin1')).not.toContain('CANARY');
  },
);

test('what stands where folders were keeps no session from being removed, and no secret from being forgotten', async () => {
  const folder = temporaryFolder();
  const store = await open(folder);
  await fill(store, one, 'CANARY', 1);
  await fill(store, two, 'CANARY', 1);
  for (const path of ['transcripts', 'notes', join('archive', 'ab')]) writeFileSync(join(folder, path), '');
  await store.removeSession(one);
  expect(store.session(one)).toBe(undefined);
  expect(await store.archive.locate('ab'.repeat(32))).toBe(undefined);
  expect(await store.forget('CANARY')).toEqual({ events: 1, bodies: 0, files: 0 });
  await store.close();
});

test('F-39: a page that is torn while the daemon runs is told by its name, with what to do, whoever meets it', async () => {
  const folder = temporaryFolder();
  const first = await open(folder);
  await fill(first, one, 'text', 60);
  await first.close();
  const store = await open(folder);
  tearPages(join(folder, databaseName));
  const told = {
    code: 'store_failed',
    message: expect.stringMatching(/database disk image is malformed .*`zerd export SESSION`, then run `zerdd stop`/),
  };
  expect(() => store.read(one)).toThrow(expect.objectContaining(told));
  await expect(store.removeSession(one)).rejects.toMatchObject(told);
  await store.close();
});

/** All but the first few: those that say what tables there are. */
function tearPages(file: string): void {
  const fd = openSync(file, 'r+');
  for (let page = 40; page < statSync(file).size / 4096; page++)
    writeSync(fd, Buffer.alloc(4096, 0xff), 0, 4096, page * 4096);
  closeSync(fd);
}
