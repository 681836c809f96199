import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { openArchive } from '../../src/store/archive.ts';
import { chooseName, findName, idOfName } from '../../src/store/archive-names.ts';
import { temporaryFolder } from './temporary.ts';

const sha256 = (body: string | Uint8Array) => createHash('sha256').update(body).digest('hex');

test('a body lies under its hash and is found by its id and by any longer prefix', async () => {
  const folder = temporaryFolder();
  const archive = await openArchive(folder);
  const body = 'grüße\r\n\0\ufeff';
  const hash = sha256(body);
  const found = { id: hash.slice(0, 12), file: join(folder, hash.slice(0, 2), hash), bytes: Buffer.byteLength(body) };
  expect(archive.idOf(body)).toBe(found.id);
  expect(await archive.locate(found.id)).toBeUndefined();
  expect(await archive.put(body)).toBe(found.id);
  for (const digits of [12, 13, 40, 64]) expect(await archive.locate(hash.slice(0, digits))).toEqual(found);
  expect(readFileSync(found.file, 'utf8')).toBe(body);
  expect(await archive.put(Buffer.from(body))).toBe(found.id);
  const again = await openArchive(folder);
  expect([await again.locate(found.id), again.idOf(body)]).toEqual([found, found.id]);
});

test('a body that is there is not written again, one that lost its end is', async () => {
  const archive = await openArchive(temporaryFolder());
  const { file } = (await archive.locate(await archive.put('body'))) ?? { file: '' };
  utimesSync(file, 1, 1);
  const spooled = archive.spoolPath();
  writeFileSync(spooled, 'body');
  expect([await archive.put('body'), await archive.adopt(spooled)]).toEqual([
    archive.idOf('body'),
    archive.idOf('body'),
  ]);
  expect([statSync(file).mtimeMs, existsSync(spooled)]).toEqual([1_000, false]);
  truncateSync(file, 2);
  await archive.put('body');
  expect(readFileSync(file, 'utf8')).toBe('body');
});

test('a spool file is taken over, also an empty one; nothing stays in the spool', async () => {
  const folder = temporaryFolder();
  const archive = await openArchive(folder);
  for (const body of ['', 'x'.repeat(300_000)]) {
    const file = archive.spoolPath();
    writeFileSync(file, body);
    const id = await archive.adopt(file);
    expect(id).toBe(sha256(body).slice(0, 12));
    expect((await archive.locate(id))?.bytes).toBe(body.length);
  }
  expect(readdirSync(join(folder, 'spool'))).toEqual([]);
});

test('the same and other bodies put at once are each kept once', async () => {
  const folder = temporaryFolder();
  const archive = await openArchive(folder);
  const bodies = Array.from({ length: 20 }, (_, index) => `body ${index % 5}`);
  const ids = await Promise.all(bodies.map((body) => archive.put(body)));
  expect(ids).toEqual(bodies.map((body) => sha256(body).slice(0, 12)));
  const files = (readdirSync(folder, { recursive: true }) as string[]).filter((name) => /[0-9a-f]{64}$/.test(name));
  expect([files.length, readdirSync(join(folder, 'spool'))]).toEqual([5, []]);
});

test('a hostile or unknown id is just unknown', async () => {
  const folder = temporaryFolder();
  const archive = await openArchive(join(folder, 'archive'));
  const id = await archive.put('body');
  writeFileSync(join(folder, '0123456789ab'), 'secret');
  const hostile = ['', '*', '../x', '../0123456789ab', '..', '/etc/passwd', `${id}/../${id}`, id.slice(0, 11)];
  for (const each of [
    ...hostile,
    id.toUpperCase().replace(/\d/g, 'A'),
    `${id}\0`,
    `${id}\n`,
    '0'.repeat(12),
    '0'.repeat(65),
  ]) {
    expect([each, await archive.locate(each)]).toEqual([each, undefined]);
  }
});

test('what a dead process left half-written is swept, what a live one writes or anyone else put there stays', async () => {
  const folder = temporaryFolder();
  const archive = await openArchive(folder);
  const mine = archive.spoolPath();
  const { pid: dead } = spawnSync(process.execPath, ['-e', '']);
  const rest = '-11111111-1111-1111-1111-111111111111-22222222-2222-2222-2222-222222222222';
  const [gone, reused, alive, foreign] = [`${dead}`, `${process.pid}`, `${process.ppid}`, 'x'].map((pid) => pid + rest);
  for (const name of [gone, reused, alive, foreign]) writeFileSync(join(folder, 'spool', `${name}`), 'half');
  writeFileSync(mine, 'half');
  await openArchive(folder);
  expect(
    readdirSync(join(folder, 'spool'))
      .map((name) => join(folder, 'spool', name))
      .sort(),
  ).toEqual([mine, join(folder, 'spool', `${alive}`), join(folder, 'spool', `${foreign}`)].sort());
});

test('a body that cannot be kept is refused as store_failed and leaves nothing behind', async () => {
  const folder = temporaryFolder();
  const archive = await openArchive(folder);
  writeFileSync(join(folder, sha256('body').slice(0, 2)), 'in the way');
  await expect(archive.put('body')).rejects.toMatchObject({ code: 'store_failed' });
  await expect(archive.adopt(join(folder, 'missing'))).rejects.toMatchObject({ code: 'store_failed' });
  expect(readdirSync(join(folder, 'spool'))).toEqual([]);
});

test('bodies whose hashes begin alike get longer ids, and every id keeps its meaning', () => {
  const tail = fc.string({ unit: fc.constantFrom('0', '1'), minLength: 52, maxLength: 52 });
  fc.assert(
    fc.property(fc.uniqueArray(tail, { maxLength: 12 }), (tails) => {
      const names: string[] = [];
      for (const hash of tails.map((each) => `abcdefabcdef${each}`)) {
        const name = chooseName(names, hash);
        names.push(name);
        expect(chooseName(names, hash)).toBe(name);
      }
      const ids = names.map(idOfName);
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids[0]?.length ?? 12).toBe(12);
      expect(ids.map((id) => findName(names, id))).toEqual(names);
      for (const name of names) expect(findName(names, name.slice(0, 64))).toBe(name);
    }),
  );
});
