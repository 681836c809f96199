import { existsSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { isZerdError } from '@zerd/protocol/common/errors';
import { systemClock } from '@zerd/protocol/node/clock';
import { manualClock } from '../../../../test/support/manual-clock.ts';
import { openSmallDisk } from '../../../../test/support/small-disk.ts';
import { openStore } from '../../src/store/open.ts';
import { openReserve } from '../../src/store/reserve.ts';
import { one, said, temporaryFolder } from './temporary.ts';

const disk = openSmallDisk(8);
afterAll(() => disk?.unmount());
/** The test is skipped by name where nothing can be mounted. */
const testOnDisk = disk === undefined ? test.skip : test;

testOnDisk('F-37, R-02: a disk that fills up at any write takes nothing back, and all goes on with room', async () => {
  if (disk === undefined) return;
  for (const free of [0, 4, 8, 16, 24, 40, 64, 100, 150, 220]) {
    const folder = join(disk.folder, `state-${free}`);
    const store = await openStore({ folder, clock: systemClock });
    await store.append(one, [said('begun')]);
    const archived = await store.archive.put('x'.repeat(10_000));
    disk.fillUp(free * 1024);
    const refused: string[] = [];
    let acknowledged = 1;
    for (let count = 0; count < 30; count++) {
      const wanted = [said(`${count} ${'y'.repeat(3_000)}`)];
      await store.append(one, wanted).then(
        () => {
          acknowledged += 1;
        },
        (error: unknown) => void refused.push(isZerdError(error) ? error.code : String(error)),
      );
      await store.archive
        .put(`${free} ${count} ${'z'.repeat(5_000)}`)
        .catch((error: unknown) => void refused.push(isZerdError(error) ? error.code : String(error)));
    }
    expect([free, refused.length > 0, [...new Set(refused)]]).toEqual([free, true, ['disk_full']]);
    expect(store.read(one).map(({ seq }) => seq)).toEqual(
      Array.from({ length: acknowledged }, (_, index) => index + 1),
    );
    expect(store.releaseReserve()).toBe(true);
    expect(await store.append(one, [said('the end')])).toMatchObject([{ seq: acknowledged + 1 }]);
    disk.makeRoom();
    expect(await store.append(one, [said('goes on')])).toMatchObject([{ seq: acknowledged + 2 }]);
    await store.close();
    const again = await openStore({ folder, clock: systemClock });
    expect([again.movedAside, again.read(one).length]).toEqual([undefined, acknowledged + 2]);
    expect((await again.archive.locate(archived))?.bytes).toBe(10_000);
    await again.close();
    rmSync(folder, { recursive: true });
  }
});

test('F-37: the reserve is private, really written, given away once, and made again a minute later', async () => {
  const folder = temporaryFolder();
  const clock = manualClock();
  const store = await openStore({ folder, clock });
  const file = join(folder, 'reserve');
  expect([statSync(file).size, statSync(file).mode & 0o777]).toEqual([2 * 1024 * 1024, 0o600]);
  expect(statSync(file).blocks * 512).toBeGreaterThanOrEqual(2 * 1024 * 1024);
  expect([store.releaseReserve(), store.releaseReserve(), existsSync(file)]).toEqual([true, false, false]);
  await store.append(one, [said('at once')]);
  expect(existsSync(file)).toBe(false);
  clock.advance(60_000);
  await store.append(one, [said('later')]);
  expect([existsSync(file), store.releaseReserve()]).toEqual([true, true]);
  await store.close();
});

test('F-41: where the reserve cannot be made, nothing else is kept from working', () => {
  const reserve = openReserve(join(temporaryFolder(), 'missing', 'reserve'));
  expect(reserve.release()).toBe(false);
  expect(() => reserve.restore()).not.toThrow();
});
