import { expect, test } from '@jest/globals';
import { foldSession } from '@zerd/core/session/fold';
import type { LoggedEvent, SessionEvent } from '@zerd/protocol/common/event';
import type { CallId, SessionId } from '@zerd/protocol/common/ids';
import type { Store } from '../../src/base/ports.ts';
import { openScene, type Scene } from './harness.ts';
import { chanceOf, changeSomething, mixedFiles, mixedPlayer } from './mixed-player.ts';

/** A store that goes down at a given event, before or after it is kept, and takes nothing more. */
function mortal(chance: ReturnType<typeof chanceOf>) {
  let [left, down] = [Number.POSITIVE_INFINITY, false];
  let newest: Store | undefined;
  const through = (store: Store): Store => {
    newest = store;
    [left, down] = [Number.POSITIVE_INFINITY, false];
    return {
      ...store,
      async append(id, events) {
        if (down) throw new Error('the power is gone');
        left -= events.some(({ kind }) => kind === 'context.trimmed' || kind === 'context.compacted') ? 20 : 1;
        if (left > 0) return store.append(id, events);
        down = true;
        if (chance.happens(50)) await store.append(id, events);
        throw new Error('the power is gone');
      },
    };
  };
  return {
    through,
    dieAfter(commits: number) {
      [left, down] = [commits, false];
    },
    isDown: () => down,
    archive: () => newest?.archive,
  };
}

const wires = ['anthropic', 'responses', 'chat'] as const;
/** A session each takes about ten seconds; `ZERD_SEEDS=1,2,3` plays others, over every wire. */
const wished = process.env.ZERD_SEEDS?.split(',').map(Number);
const seeds = { anthropic: [4, 6], responses: [4], chat: [6] } as const;

test.each(wires.flatMap((wire) => (wished ?? seeds[wire]).map((seed) => [wire, seed] as const)))(
  'over %s a long mixed session (%d) in a small window, through crashes, interrupts, compactions and another model, keeps I2, I3, I5 and I12',
  async (wire, seed) => {
    const chance = chanceOf(seed);
    const ids = new Set<string>();
    const store = mortal(chance);
    const scene: Scene = await openScene({
      ...{ wire, files: mixedFiles(chance), contextWindow: 16_000, window: 20_000, throughStore: store.through },
      player: mixedPlayer(() => scene.root, chance, ids),
      config: { context: { window: 3, caps: { read: 3_000, shell: 1_200, failingShell: 2_000, search: 1_000 } } },
    });
    try {
      const sessionId = await live(scene, store, chance);
      check(scene, sessionId);
      for (const id of ids) expect([id, (await store.archive()?.locate(id))?.id]).toEqual([id, expect.any(String)]);
    } finally {
      await scene.close();
    }
  },
  120_000,
);

async function live(scene: Scene, store: ReturnType<typeof mortal>, chance: ReturnType<typeof chanceOf>) {
  const { sessionId } = await scene.runner.createSession({ env: scene.env, mode: 'full', trust: true });
  const wish = { sessionId, env: scene.env, trust: true };
  for (let turn = 0; turn < 16; turn++) {
    store.dieAfter(chance.happens(30) ? 5 + chance.below(30) : Number.POSITIVE_INFINITY);
    const model = turn === 8 ? { model: 'sim/small' } : {};
    const text = turn % 5 === 3 ? chance.lines(200) : `Please go on: ${chance.lines(1)}`;
    const begun =
      turn % 5 === 4
        ? scene.runner.compact(wish)
        : scene.runner.startTurn({ ...wish, ...model, text, maxRequests: 10 });
    await begun.catch((error: unknown) =>
      expect(String(error)).toMatch(/power is gone|nothing to compact|no summary makes room/),
    );
    const asked = scene.gateway.requests.length + 2;
    if (chance.happens(15)) {
      await until(() => scene.gateway.requests.length >= asked || scene.runner.runningTurns() === 0);
      await scene.runner.interrupt(sessionId);
    }
    await until(() => scene.runner.runningTurns() === 0);
    if (store.isDown()) await restart(scene, store);
    if (chance.happens(20)) changeSomething(scene.root, chance);
  }
  await restart(scene, store);
  return sessionId;
}

/** What was open goes on by itself, to its end. */
async function restart(scene: Scene, store: ReturnType<typeof mortal>): Promise<void> {
  store.dieAfter(Number.POSITIVE_INFINITY);
  await scene.restart();
  await until(() => scene.runner.runningTurns() === 0);
}

async function until(met: () => boolean): Promise<void> {
  while (!met()) await new Promise((resolve) => setTimeout(resolve, 1));
}

type Started = Extract<SessionEvent, { kind: 'request.started' }>;
const breaks: readonly string[] = ['context.trimmed', 'context.compacted', 'model.changed'];

function check(scene: Scene, sessionId: SessionId): void {
  const events = scene.events(sessionId);
  const started = events.flatMap(({ event, seq }) => (event.kind === 'request.started' ? [{ event, seq }] : []));
  const bodies = started.map(({ event }) => scene.runner.contextBody(sessionId, event.requestId).body);
  const counts = breaks.map((kind) => [kind, events.filter(({ event }) => event.kind === kind).length > 0]);
  expect(counts).toEqual(breaks.map((kind) => [kind, true]));
  // I12: what is refused is refused for its size alone.
  const refused = scene.gateway.requests.flatMap(({ refusal }) => (refusal === null ? [] : [refusal]));
  for (const refusal of refused) expect(refusal).toMatch(/too long|maximum context|exceeds the context/);
  // I2: each request that arrived is what the log gives; one may be in the log that never left.
  let at = 0;
  for (const { bodyText, n } of scene.gateway.requests) {
    const found = bodies.indexOf(bodyText, at);
    expect([n, found >= at]).toEqual([n, true]);
    at = found + 1;
  }
  checkPrefixes(events, started, bodies);
  checkPointers(events, started);
}

/** I3 */
function checkPrefixes(
  events: readonly LoggedEvent[],
  started: readonly { readonly event: Started; readonly seq: number }[],
  bodies: readonly string[],
): void {
  let before: { readonly seq: number; readonly blocks: readonly string[] } = { seq: 0, blocks: [] };
  started.forEach(({ event, seq }, i) => {
    if (event.purpose !== undefined) return;
    const blocks = blocksOf(JSON.parse(bodies[i] ?? '{}') as Body);
    const named = events.some((e) => e.seq > before.seq && e.seq < seq && breaks.includes(e.event.kind));
    if (!named) expect(blocks.slice(0, before.blocks.length)).toEqual(before.blocks);
    before = { seq, blocks };
  });
}

/** I5: what a result leans on stands whole, or in the summary, when the model first sees that result. */
function checkPointers(
  events: readonly LoggedEvent[],
  started: readonly { readonly event: Started; readonly seq: number }[],
): void {
  const sent = new Set<string>();
  for (const { event, seq } of started) {
    if (event.purpose !== undefined) continue;
    const state = foldSession(events.filter((logged) => logged.seq < seq));
    const results = state.items.flatMap((item) => (item.kind === 'toolResult' ? [item] : []));
    const there = new Set(results.map(({ callId }) => callId));
    const isCut = (callId: CallId) => state.trims.results.has(callId) || state.trims.inputs.has(callId);
    for (const { callId, leansOn = [], shown } of results) {
      if (sent.has(callId)) continue;
      sent.add(callId);
      const told = state.compactions.newest?.summary.includes('## EARLIER CALLS THAT RESULTS POINT TO') ?? false;
      const missing = leansOn.filter((base) => isCut(base) || !(there.has(base) || told));
      expect({ shown, missing }).toEqual({ shown, missing: [] });
    }
  }
}

interface Body {
  readonly messages?: readonly Message[];
  readonly input?: readonly Message[];
}
interface Message {
  readonly role?: string;
  readonly content?: unknown;
}

/** In order, cache marks aside. */
function blocksOf({ messages = [], input = [], ...fixed }: Body): readonly string[] {
  const parts = [...messages, ...input].flatMap(({ content, ...rest }): unknown[] =>
    Array.isArray(content) ? content.map((block: unknown) => ({ ...rest, block })) : [{ ...rest, content }],
  );
  return [fixed, ...parts].map((part) =>
    JSON.stringify(part, (key, value: unknown) =>
      key.startsWith('cache_') || key === 'prompt_cache_breakpoint' ? undefined : value,
    ),
  );
}
