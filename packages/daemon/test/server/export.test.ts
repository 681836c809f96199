/** Pages of an export join to the whole, wherever they end. */
import { expect, test } from '@jest/globals';
import type { SessionEvent } from '@zerd/protocol/common/event';
import { manualClock } from '../../../../test/support/manual-clock.ts';
import { assistant, call, created, finished, message, turn } from '../../../core/test/session/events.ts';
import { exportHandlers } from '../../src/server/handlers/export.ts';
import { openStore } from '../../src/store/open.ts';
import { one, temporaryFolder } from '../store/temporary.ts';

async function exported(events: readonly SessionEvent[], format: 'md' | 'json') {
  const store = await openStore({ folder: temporaryFolder(), clock: manualClock() });
  await store.append(one, events);
  const handle = exportHandlers({ store } as never)['session/export'];
  const pages: string[] = [];
  for (let after: number | undefined; ; ) {
    const params = { sessionId: one, format, ...(after === undefined ? {} : { after }) };
    const { text, next } = await handle(params, undefined as never);
    pages.push(text);
    if (next === undefined) break;
    after = next;
  }
  await store.close();
  return pages;
}

const many = Array.from({ length: 1_200 }, (_, i) => message(`message ${i}`));

test('a long session comes in several pages without a hole or a repeat', async () => {
  const pages = await exported([created, turn, ...many], 'json');
  expect(pages.length).toBeGreaterThan(2);
  const lines = pages.join('').trimEnd().split('\n');
  expect(lines.map((line) => (JSON.parse(line) as { seq: number }).seq)).toEqual(lines.map((_, i) => i + 1));
  expect(lines).toHaveLength(1_202);
});

test('large events make short pages', async () => {
  const large = Array.from({ length: 5 }, () => message('x'.repeat(1_500_000)));
  const pages = await exported([created, turn, ...large], 'json');
  expect(pages.map(({ length }) => Math.round(length / 1_500_000))).toEqual([2, 2, 1]);
});

test('a result on a later page is named by the call of an earlier one', async () => {
  const events = [created, turn, assistant('req_1', call('c1')), ...many, finished('c1')];
  const pages = await exported(events, 'md');
  expect(pages.length).toBeGreaterThan(2);
  expect(pages.at(-1)).toMatch(/- \*\*read\*\* `a\.ts`\n\n$/);
});
