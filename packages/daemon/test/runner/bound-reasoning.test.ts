import { afterEach, expect, test } from '@jest/globals';
import { filesOf, only, reader } from './compaction-scene.ts';
import { openScene, type Scene } from './harness.ts';

let scene: Scene;
afterEach(() => scene.close());

/** A session that is summed up once by the user's wish, on a model whose reasoning is bound to what stood before. */
async function play(wire: 'anthropic' | 'responses') {
  const step = reader(8);
  let compacted = false;
  scene = await openScene({
    wire,
    files: filesOf(8, 60),
    player: (view, memory) => ({ ...step(view, memory), ...(compacted ? { removedReasoning: 2 } : {}) }),
    modelFacts: { bindsReasoning: true },
  });
  const { runner, env, events, say } = scene;
  const { sessionId, end } = await say('Mend the counters.');
  await end;
  await runner.compact({ sessionId, env, trust: true });
  while (only(events(sessionId), 'turn.finished').length < 2) await new Promise((resolve) => setTimeout(resolve, 2));
  compacted = true;
  await say('And now?', { sessionId });
  while (only(events(sessionId), 'turn.finished').length < 3) await new Promise((resolve) => setTimeout(resolve, 2));
  return sessionId;
}

test('every request carries the setting that drops void reasoning, its summary and all behind it too, and the cost says what was lost', async () => {
  const sessionId = await play('anthropic');
  const { gateway, events, runner } = scene;
  expect(only(events(sessionId), 'context.compacted')).toHaveLength(1);
  expect(gateway.requests.map(({ refusal }) => refusal)).toEqual(gateway.requests.map(() => null));
  for (const { body, headers } of gateway.requests) {
    expect(body.thinking).toEqual({ type: 'adaptive', block_binding: { prefix_mismatch_behavior: 'drop_block' } });
    expect(headers['anthropic-beta']).toBe('thinking-binding-controls-2026-08-01');
  }
  expect(only(events(sessionId), 'assistant.finished').at(-1)).toMatchObject({ removedReasoning: 2 });
  expect(runner.readCost(sessionId).reasoning).toBe(
    'sim/sim, whose reasoning is bound to what stood before, lost what it had thought before a trim or summary, and its provider left out 2 blocks of reasoning behind an edit; thinking again costs output.',
  );
});

test('over responses there is no such setting: the provider drops by itself, and what it says is kept', async () => {
  const sessionId = await play('responses');
  const { gateway, events } = scene;
  expect(gateway.requests.map(({ body }) => body.thinking)).toEqual(gateway.requests.map(() => undefined));
  expect(only(events(sessionId), 'assistant.finished').at(-1)).toMatchObject({ removedReasoning: 2 });
});
