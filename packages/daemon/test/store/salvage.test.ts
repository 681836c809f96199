import { readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { LoggedEvent } from '@zerd/protocol/common/event';
import { systemClock } from '@zerd/protocol/node/clock';
import { databaseName, openStore } from '../../src/store/open.ts';
import { databasesIn, openSalvage } from '../../src/store/salvage.ts';
import { exportSession } from '../../src/zerdd/export-session.ts';
import { one, said, temporaryFolder, two } from './temporary.ts';

async function filled(): Promise<{ folder: string; file: string }> {
  const folder = temporaryFolder();
  const store = await openStore({ folder, clock: systemClock });
  for (let count = 0; count < 40; count++) {
    await store.append(one, [said(`one ${count} ${'x'.repeat(3_000)}`)]);
    if (count < 10) await store.append(two, [said(`two ${count}`)]);
  }
  await store.close();
  return { folder, file: join(folder, databaseName) };
}

function exported(folder: string, session: string | undefined, format: 'md' | 'json' = 'json') {
  let text = '';
  const lines: string[] = [];
  const out = (more: string) => {
    text += more;
  };
  const err = (line: string) => void lines.push(line);
  exportSession({ stateFolder: folder, session, format, out, err });
  return { text, lines };
}

const seqs = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as LoggedEvent).seq);

test('F-36: a session is exported without a daemon, while one holds the database too, and nothing of it changes', async () => {
  const { folder, file } = await filled();
  const bytes = readFileSync(file);
  expect(seqs(exported(folder, one).text)).toEqual(Array.from({ length: 40 }, (_, index) => index + 1));
  expect(exported(folder, undefined, 'md').text).toContain('## User');
  expect(readFileSync(file).equals(bytes)).toBe(true);
  const store = await openStore({ folder, clock: systemClock });
  await store.append(two, [said('in the log of the database only')]);
  expect(seqs(exported(folder, undefined).text)).toHaveLength(11);
  await store.close();
});

test('F-39: of a damaged database all that can be read is exported, and what is missing is counted', async () => {
  const { folder, file } = await filled();
  const bytes = readFileSync(file);
  const at = Math.floor((bytes.length * 0.6) / 4096) * 4096;
  writeFileSync(file, bytes.fill(0xa5, at, at + 3 * 4096));
  const store = await openStore({ folder, clock: systemClock });
  expect([store.movedAside === undefined, store.sessions()]).toEqual([false, []]);
  await store.append(two, [said('new')]);
  await store.close();
  const { text, lines } = exported(folder, one);
  const found = seqs(text);
  expect(found.length).toBeGreaterThan(20);
  expect(found.length).toBeLessThan(40);
  expect(found).toEqual([...new Set(found)].sort((a, b) => a - b));
  expect(lines[0]).toMatch(/damaged-.*without a daemon/);
  expect(lines[1]).toBe(`${(found.at(-1) ?? 0) - found.length} of its events could not be read and are left out`);
});

test('F-39: the newest file is asked first; one in which nothing can be read is named, and the next one is asked', async () => {
  const { folder, file } = await filled();
  truncateSync(file, statSync(file).size - 4096);
  await (await openStore({ folder, clock: systemClock })).close();
  writeFileSync(`${file}.damaged-2099-01-01T00-00-00.000Z`, 'something else');
  expect(databasesIn(folder, databaseName)).toHaveLength(3);
  expect(() => openSalvage(`${file}.damaged-2099-01-01T00-00-00.000Z`)).toThrow('.recover');
  const { lines, text } = exported(folder, one);
  expect([lines[0]?.includes('cannot be read'), seqs(text).length > 30]).toEqual([true, true]);
  expect(() => exported(folder, 'ses_nobody')).toThrow('holds it');
});
