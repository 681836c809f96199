import { afterEach, expect, test } from '@jest/globals';
import { ledgerOf } from '@zerd/core/accounting/ledger';
import type { SessionId } from '@zerd/protocol/common/ids';
import type { Step } from '@zerd/simulator/players/player';
import { type ManualClock, manualClock } from '../../../../test/support/manual-clock.ts';
import type { Store } from '../../src/base/ports.ts';
import { openScene, type Scene, type SceneWish } from './harness.ts';

let scene: Scene;
let clock: ManualClock;
let driving: NodeJS.Timeout | undefined;

const minute = 60_000;
const code = Array.from({ length: 1_200 }, (_, i) => `export const value${i} = compute(${i * 7}, 'name${i}');\n`).join(
  '',
);
const read = (path: string): Step => ({ calls: [{ name: 'read', input: { path } }] });
const done: Step = { text: 'Done.' };

async function open(wish: SceneWish): Promise<Scene> {
  clock = manualClock();
  const files = { 'a.ts': code, 'b.ts': code.replaceAll('value', 'other'), 'c.ts': code.replaceAll('value', 'third') };
  scene = await openScene({ files, cacheTtlMs: 5 * minute, ...wish, clock });
  driving = setInterval(() => clock.advance(5), 2);
  return scene;
}
afterEach(async () => {
  clearInterval(driving);
  await scene.close();
});

async function turn(text: string, sessionId?: SessionId, more: object = {}): Promise<SessionId> {
  const ends = (id: SessionId) => scene.events(id).filter(({ event }) => event.kind === 'turn.finished').length;
  const before = sessionId === undefined ? 0 : ends(sessionId);
  const said = await scene.say(text, { ...(sessionId === undefined ? {} : { sessionId }), ...more });
  while (ends(said.sessionId) === before) await new Promise((resolve) => setTimeout(resolve, 2));
  return said.sessionId;
}

const missesOf = (sessionId: SessionId) =>
  scene.runner.readCost(sessionId).misses.map(({ cause, blame, says }) => [cause, blame, says]);

test.each(['anthropic', 'responses', 'chat'] as const)(
  'over %s the ledger is the bill of the gateway, and a pause beyond the lifetime is named and foreseen within 5 %%',
  async (wire) => {
    const steps = [read('a.ts'), read('b.ts'), done, read('c.ts'), done, done];
    const { gateway, runner } = await open({ steps, wire });
    const sessionId = await turn('Look at it.');
    clock.jumpWall(7 * minute + 12_000);
    for (const text of ['And the third one, please.', 'Thanks, that is all.']) {
      const foreseen = runner.forecast({ sessionId, text, env: {} });
      const before = gateway.requests.length;
      await turn(text, sessionId);
      const paid = gateway.requests[before];
      const input = (paid?.billPico ?? 0) - (paid?.output ?? 0) * 5_000_000;
      expect(Math.abs((foreseen.costPico ?? 0) / input - 1)).toBeLessThan(0.05);
    }
    const ledger = ledgerOf(scene.events(sessionId));
    expect(ledger.totals.costPico).toBe(gateway.bill());
    const [first, ...others] = missesOf(sessionId);
    expect([first?.[0], first?.[1], others]).toEqual(['idle', 'yours', []]);
    expect(first?.[2]).toMatch(/^idle for 7 min 1\d s, and the provider keeps it for 5 min$/);
  },
);

test.each([
  ['anthropic', 'messages_changed'],
  ['responses', 'input_changed'],
] as const)('over %s what the provider says of a miss is logged and merged with what was sent', async (wire, word) => {
  const steps = [read('a.ts'), read('b.ts'), done, done, done];
  const { gateway } = await open({ steps, wire, modelFacts: { diagnosis: wire === 'anthropic' ? wire : 'openai' } });
  const sessionId = await turn('Look at it.');
  gateway.evict();
  await turn('Again.', sessionId);
  await turn('Once more.', sessionId, { model: 'sim/small' });
  const { misses } = scene.runner.readCost(sessionId);
  expect(misses.map(({ cause, blame }) => [cause, blame])).toEqual([
    ['providerSide', 'provider'],
    ['modelChanged', 'yours'],
  ]);
  expect(misses[0]?.says).toContain('the provider says so too');
  expect(misses[1]?.diagnosis).toBe('model_changed');
  expect(word).toMatch(/changed$/);
  const asked = gateway.requests.map(({ body }) => body.diagnostics ?? body.prompt_cache_options);
  expect(asked[1]).toEqual(
    wire === 'anthropic' ? { previous_message_id: 'msg_sim_1' } : { comparison_response_id: 'resp_sim_1' },
  );
  // I2: what was asked then is found again from the log alone.
  const sent = ledgerOf(scene.events(sessionId)).requests[2];
  expect(JSON.parse(scene.runner.contextBody(sessionId, sent?.requestId).body)).toEqual(gateway.requests[2]?.body);
});

test('a model that writes and never reads is told of once; one that says nothing of its cache never', async () => {
  const steps = [read('a.ts'), read('b.ts'), read('c.ts'), done, done];
  const { gateway } = await open({ steps });
  const losing = setInterval(() => gateway.evict(), 1);
  const sessionId = await turn('Look at it.');
  await turn('Again.', sessionId);
  clearInterval(losing);
  const warned = scene.events(sessionId).flatMap(({ event }) => (event.kind === 'cache.warned' ? [event.text] : []));
  expect(warned).toEqual([expect.stringContaining('sim/sim reads nothing from its cache')]);
});

test('an endpoint that hides its cache is named and blamed for nothing', async () => {
  await open({
    steps: [read('a.ts'), read('b.ts'), done, done],
    gatewayModels: { sim: { window: 200_000, maxOutput: 64_000, hidesCache: true } },
  });
  const sessionId = await turn('Look at it.');
  clock.jumpWall(10 * minute);
  await turn('Again.', sessionId);
  const { misses, notReported } = scene.runner.readCost(sessionId);
  expect([misses, notReported]).toEqual([[], ['sim/sim']]);
  expect(scene.events(sessionId).some(({ event }) => event.kind === 'cache.warned')).toBe(false);
});

test('what was charged for an answer that broke off is in the ledger, and the bill still agrees', async () => {
  const steps: Step[] = [{ text: 'a long answer', fault: { kind: 'error-event', after: 'output' } }, done];
  const { gateway } = await open({ steps });
  const sessionId = await turn('Say it.');
  const { totals, requests } = ledgerOf(scene.events(sessionId));
  expect(requests.map(({ purpose, usage }) => [purpose, usage !== undefined])).toEqual([
    ['failed', true],
    ['turn', true],
  ]);
  expect(totals.costPico).toBe(gateway.bill());
});

test('a forecast reads nothing of its own session: what it needs is in the fold', async () => {
  const reads: unknown[] = [];
  const throughStore = (store: Store): Store => ({
    ...store,
    read(...asked) {
      reads.push(asked);
      return store.read(...asked);
    },
  });
  const { runner } = await open({ steps: [read('a.ts'), read('b.ts'), done], throughStore });
  const sessionId = await turn('Look at it.');
  reads.length = 0;
  expect(runner.forecast({ sessionId, text: 'And then?', env: {} }).prompt).toBeGreaterThan(10_000);
  expect(reads).toEqual([]);
});

test('unknown models, above all: a forecast without a price says so and has no figure', async () => {
  await open({ steps: [done], price: undefined as never });
  const sessionId = await turn('Hello.');
  expect(scene.runner.forecast({ sessionId, text: 'More.', env: {} })).toMatchObject({ warn: false });
});
