import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { systemClock } from '@zerd/protocol/node/clock';
import { manualClock } from '../../../../test/support/manual-clock.ts';
import { openDatabase } from '../../src/store/database.ts';
import { lookThrough } from '../../src/store/look-through.ts';
import { databaseName, openStore } from '../../src/store/open.ts';
import { one, said, temporaryFolder } from './temporary.ts';

async function filled(): Promise<string> {
  const folder = temporaryFolder();
  const store = await openStore({ folder, clock: systemClock });
  for (let count = 0; count < 30; count++)
    await store.append(
      one,
      Array.from({ length: 20 }, () => said('x'.repeat(6_000))),
    );
  await store.close();
  return join(folder, databaseName);
}

function look(file: string) {
  const clock = manualClock();
  const { db } = openDatabase(file, clock);
  const told: string[] = [];
  return { clock, db, told, looking: lookThrough({ db, file, clock, told: (damage) => void told.push(damage) }) };
}

test('F-39: a database that is used is looked through a slice at a time, and is sound', async () => {
  const file = await filled();
  const { clock, db, told, looking } = look(file);
  expect(looking.state()).toBe('looking');
  clock.advance(400);
  expect(looking.state()).toBe('looking');
  clock.advance(10_000);
  expect([looking.state(), told, clock.timers()]).toEqual(['sound', [], 0]);
  db.close();
});

test('F-39: damage found while it is used is told once and kept for the next start, which moves the database aside', async () => {
  const file = await filled();
  const { clock, db, told, looking } = look(file);
  db.pragma('cache_size = 0');
  const bytes = readFileSync(file);
  for (let at = Math.floor(bytes.length / 2 / 4096) * 4096; at < bytes.length; at += 4096)
    bytes.fill(0xa5, at, at + 4096);
  writeFileSync(file, bytes);
  clock.advance(20_000);
  expect(looking.state()).toEqual({ damage: expect.stringContaining('SQLITE_CORRUPT') });
  expect([told.length, clock.timers(), existsSync(`${file}.suspect`)]).toEqual([1, 0, true]);
  db.close();
  const again = await openStore({ folder: join(file, '..'), clock: systemClock });
  expect([again.movedAside?.includes('damaged'), existsSync(`${file}.suspect`)]).toEqual([true, false]);
  await again.close();
});
