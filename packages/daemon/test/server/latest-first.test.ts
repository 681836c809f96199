import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { openStore } from '@zerd/daemon/store/open';
import { sessionIdSchema, turnIdSchema } from '@zerd/protocol/common/ids';
import { type ManualClock, manualClock } from '../../../../test/support/manual-clock.ts';
import { createLatestFirst, type LatestFirst } from '../../src/server/latest-first.ts';

const hour = 3_600_000;
let folder: string;
let clock: ManualClock;
let store: Awaited<ReturnType<typeof openStore>>;
let latestFirst: LatestFirst;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'zerd-latest-'));
  clock = manualClock();
  await open();
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

async function open(): Promise<void> {
  store = await openStore({ folder, clock });
  latestFirst = createLatestFirst(store);
}
const happens = (id: string) =>
  store.append(sessionIdSchema.parse(id), [{ kind: 'turn.started', turnId: turnIdSchema.parse(`turn_${id}`) }]);
const order = () => latestFirst(store.sessions()).map(({ sessionId }) => sessionId);

test.each([-hour, 24 * hour])(
  'F-15: the session in which something happened last comes first, also when the time of day was set by %d ms',
  async (jump) => {
    await happens('ses_a');
    clock.jumpWall(jump);
    await happens('ses_b');
    expect(order()).toEqual(['ses_b', 'ses_a']);
    await happens('ses_a');
    clock.jumpWall(-jump);
    expect(order()).toEqual(['ses_a', 'ses_b']);
  },
);

test('F-15: what is older than the daemon comes behind, by its time', async () => {
  await happens('ses_a');
  clock.advance(1_000);
  await happens('ses_b');
  await store.close();
  await open();
  expect(order()).toEqual(['ses_b', 'ses_a']);
  clock.jumpWall(-hour);
  await happens('ses_c');
  expect(order()).toEqual(['ses_c', 'ses_b', 'ses_a']);
});
