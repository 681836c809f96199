/**
 * The daemon dies right before or right behind each commit of a turn, then at random ones, twice in a turn. Time stands
 * still: whatever goes on waited for nothing. `ZERD_DEATHS=10000` dies so often. With real processes and kill -9 it is
 * `npm run -s bench:kill`.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ZerdError } from '@zerd/protocol/common/errors';
import type { SessionId } from '@zerd/protocol/common/ids';
import type { Player } from '@zerd/simulator/players/player';
import fc from 'fast-check';
import { manualClock } from '../../../../../test/support/manual-clock.ts';
import type { Store } from '../../../src/base/ports.ts';
import { openScene, type Scene } from '../harness.ts';

const deaths = Number(process.env.ZERD_DEATHS ?? 100);

interface Death {
  /** So many commits from now on. */
  readonly at: number;
  readonly side: 'before' | 'behind';
}

/** What the next daemon dies of. */
let fate: { left: number; readonly side: Death['side']; readonly died: () => void } | undefined;
let bury = () => {};
const buried = new Promise<never>((_, reject) => {
  bury = () => reject(new ZerdError('store_failed', 'The daemon is dead.'));
});
buried.catch(() => {});

/** Behind its death nothing is committed, and who waits for a commit waits. */
function mortal(store: Store): Store {
  let dead = false;
  return {
    ...store,
    async append(sessionId, events) {
      if (dead) return await buried;
      if (fate !== undefined) fate.left -= 1;
      if (fate === undefined || fate.left > 0) return await store.append(sessionId, events);
      const { side, died } = fate;
      dead = true;
      if (side === 'behind') await store.append(sessionId, events);
      died();
      return await buried;
    },
  };
}

/** Two effects that can be counted, one of them beside another call, then a word. */
const player: Player = ({ messages }) => {
  const said = messages.filter(({ role }) => role === 'assistant').length;
  const [turn] = /turn-\d+/.exec(JSON.stringify(messages[0])) ?? [];
  const effect = (name: string) => ({ name: 'shell', input: { command: `echo ${turn}.${name} >> ran` } });
  if (said === 0) return { calls: [effect('one')] };
  return said === 1 ? { calls: [effect('two'), { name: 'find', input: { pattern: '*' } }] } : { text: 'Done.' };
};

let scene: Scene;
beforeAll(async () => {
  scene = await openScene({ player, clock: manualClock(), throughStore: mortal, files: { ran: '' } });
});
afterAll(async () => {
  bury();
  await scene.close();
});

const logOf = (sessionId: SessionId) => scene.events(sessionId).map((event) => JSON.stringify(event));
const effects = () => readFileSync(join(scene.root, 'ran'), 'utf8').split('\n').filter(Boolean);

/** Lives one turn through its deaths and says how it was; `died`: how many of them came. */
async function live(name: string, fates: readonly Death[]) {
  const { sessionId } = await scene.runner.createSession({ env: scene.env, mode: 'full', trust: true });
  const kept: (readonly string[])[] = [];
  const begun = () => scene.events(sessionId).some(({ event }) => event.kind === 'turn.started');
  for (const { at, side } of fates) {
    const dies = new Promise<true>((died) => {
      fate = { left: at, side, died: () => died(true) };
    });
    if (kept.length === 0) void scene.say(name, { sessionId }).catch(() => {});
    const ends = scene.until(sessionId, 'turn.finished').then(() => false);
    // Dead behind the very last commit is dead too.
    const isDead = await Promise.race([dies, ends.then(() => (fate !== undefined && fate.left <= 0 ? dies : false))]);
    fate = undefined;
    if (!isDead) break;
    kept.push(logOf(sessionId));
    await scene.restart();
    if (!begun()) break;
  }
  const end = begun() ? await scene.until(sessionId, 'turn.finished') : undefined;
  const log = logOf(sessionId);
  const lost = kept.filter((before) => before.some((event, n) => log[n] !== event)).length;
  return { died: kept.length, lost, outcome: end?.outcome, undone: undoneOf(sessionId, name) };
}

/** Effects of calls whose results say that they were done, and that are not there. */
function undoneOf(sessionId: SessionId, name: string): readonly string[] {
  const all = scene.events(sessionId).map(({ event }) => event);
  const done = new Set(all.flatMap((e) => (e.kind === 'toolCall.finished' && e.outcome === 'ok' ? [e.callId] : [])));
  const said = all.flatMap((event) => (event.kind === 'assistant.finished' ? event.content : []));
  const claimed = said.flatMap((block) =>
    block.kind === 'toolCall' && block.name === 'shell' && done.has(block.callId) ? [block.inputJson] : [],
  );
  const there = new Set(effects());
  return claimed
    .map((input) => new RegExp(`${name}\\.\\w+`).exec(input)?.[0] ?? input)
    .filter((effect) => !there.has(effect));
}

test(`R-01, R-03: ${deaths} deaths at every commit and at random ones: nothing acknowledged is lost, nothing done twice, each turn goes on`, async () => {
  let turns = 0;
  let died = 0;
  const check = async (fates: readonly Death[]): Promise<number> => {
    const { outcome, ...was } = await live(`turn-${turns++}`, fates);
    // A turn that was never begun was never acknowledged.
    const begins = fates[0]?.at === 1 && fates[0].side === 'before';
    expect({ fates, ...was, outcome }).toEqual({
      fates,
      died: was.died,
      lost: 0,
      outcome: begins ? outcome : 'done',
      undone: [],
    });
    died += was.died;
    return was.died;
  };
  for (const side of ['before', 'behind'] as const) for (let at = 1; (await check([{ at, side }])) > 0; at++);
  const points = turns / 2;
  const death = fc.record({
    at: fc.integer({ min: 1, max: points }),
    side: fc.constantFrom<Death['side']>('before', 'behind'),
  });
  const pairs = fc.sample(fc.tuple(death, death), { numRuns: deaths, seed: 4711 });
  for (const pair of pairs) if (died < deaths) await check(pair);
  expect(points).toBeGreaterThan(10);
  expect(died).toBeGreaterThanOrEqual(deaths);
  expect(effects()).toEqual([...new Set(effects())]);
}, 600_000);
