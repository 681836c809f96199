/**
 * Real sessions of other agents, replayed call by call through the real daemon: every call ends as it was recorded. They
 * are read from $ZERD_DATA and are no part of this repository; a folder without any fails. Long ones take a minute each on
 * a busy machine and run with ZERD_TEST_SESSIONS=all.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { readRecorded } from '@zerd/simulator/bench/session/recorded';
import { replaySession } from '@zerd/simulator/bench/session/replay-session';
import type { HouseWire } from '../support/house.ts';

const { ZERD_DATA: data, ZERD_TEST_SESSIONS: wished } = process.env;
const folder = join(data ?? '', 'sessions');
const names =
  data !== undefined && existsSync(folder) ? readdirSync(folder).filter((name) => /^N\d+\.json$/.test(name)) : [];

(data === undefined ? test.skip : test)('there are recorded sessions', () => {
  expect(names).not.toEqual([]);
});

const quick: readonly string[] = ['N03.json', 'N06.json', 'N09.json'];

for (const name of names) {
  const run = quick.includes(name) || wished === 'all' ? test : test.skip;
  run(`every call of ${name} ends as recorded`, () => expectAsRecorded(name, 'anthropic'), 300_000);
}

for (const wire of ['responses', 'chat'] as const) {
  const shortest = names.find((name) => name === quick[0]);
  if (shortest !== undefined)
    test(`every call of ${shortest} ends as recorded over ${wire}`, () => expectAsRecorded(shortest, wire), 300_000);
}

async function expectAsRecorded(name: string, wire: HouseWire): Promise<void> {
  const session = readRecorded(join(folder, name));
  const { figures, complaints } = await replaySession(session, wire);
  expect(complaints).toEqual([]);
  expect(figures).toMatchObject({ bench: 'session', id: session.id, calls: session.calls.length, failed: 0 });
}
