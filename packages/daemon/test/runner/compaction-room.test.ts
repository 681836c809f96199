import { afterEach, expect, test } from '@jest/globals';
import { foldSession } from '@zerd/core/session/fold';
import type { Player, Step } from '@zerd/simulator/players/player';
import { asksForSummary, closeScene, filesOf, only, open, readAll, reader, scene } from './compaction-scene.ts';

afterEach(closeScene);

test('a refused prompt is summed up once and the turn goes on to its end (F-12)', async () => {
  const player = reader(14);
  const sessionId = await readAll(14, { player, window: 14_000, contextWindow: 60_000, files: filesOf(14, 120) });
  const { events, gateway } = scene;
  expect(only(events(sessionId), 'turn.finished').at(-1)).toMatchObject({ outcome: 'done' });
  const compacted = only(events(sessionId), 'context.compacted');
  expect(compacted.length).toBeGreaterThan(0);
  expect(compacted[0]?.reason).toBe('the provider refused the prompt as too long');
  // Asked in a prompt of its own: behind the refused one there is no room.
  expect(
    gateway.requests.filter(({ conversation }) => asksForSummary(conversation)).map(({ body }) => body.tools),
  ).toEqual(compacted.map(() => undefined));
  expect(only(events(sessionId), 'toolCall.finished')).toHaveLength(14);
});

test.each([
  ['before anything was answered', 500, 1],
  ['later', 1_400, 2],
])('F-12, P108: a floor above the window is a clear stop %s: no summary, no loop', async (_when, window, requests) => {
  const { say, gateway } = await open({ player: reader(9), files: filesOf(9, 60), window, contextWindow: 200_000 });
  const { end } = await say('Go');
  expect(await end).toMatchObject({ outcome: 'failed', failure: { code: 'context_overflow' } });
  expect(gateway.requests).toHaveLength(requests);
  expect(gateway.requests.filter(({ conversation }) => asksForSummary(conversation))).toEqual([]);
});

test('F-12: when summaries do not help, two are made and the turn ends with a named failure', async () => {
  let refusing = false;
  const player: Player = (view, memory) => {
    const step = reader9(view, memory);
    refusing ||= view.messages.length > 16;
    return refusing && !asksForSummary(view) ? { fault: { kind: 'overflow' }, faultTimes: 99 } : step;
  };
  const reader9 = reader(12);
  const sessionId = await readAll(12, { player });
  const { events } = scene;
  expect(only(events(sessionId), 'turn.finished').at(-1)).toMatchObject({
    outcome: 'failed',
    failure: { code: 'context_overflow' },
  });
  expect(only(events(sessionId), 'context.compacted').length).toBeLessThanOrEqual(2);
  expect(only(events(sessionId), 'request.failed').length).toBeLessThanOrEqual(3);
});

test('above the ceiling, when clearing is not enough, the planner has the conversation summed up, and the turn goes on', async () => {
  const sessionId = await readAll(16, { contextWindow: 16_000, files: filesOf(16, 400) });
  const { events, gateway } = scene;
  const compacted = only(events(sessionId), 'context.compacted');
  expect(compacted.map(({ reason }) => reason)).toContainEqual(expect.stringMatching(/above \d+ tokens/));
  expect(only(events(sessionId), 'turn.finished')).toMatchObject([{ outcome: 'done' }]);
  expect(only(events(sessionId), 'request.failed')).toEqual([]);
  for (const { tokens } of gateway.requests) expect(tokens.total).toBeLessThan(16_000);
  expect(gateway.requests.every(({ refusal }) => refusal === null)).toBe(true);
  for (const { summary } of compacted) expect(summary).toContain('Never touch f9.txt.');
});

test('when three summaries in a row did not last three requests, old results are cleared instead, for ten requests', async () => {
  const sessionId = await readAll(40, { contextWindow: 16_000, files: filesOf(40, 400) });
  const { made } = foldSession(scene.events(sessionId)).compactions;
  const lives = made.slice(0, 3).map((at, i) => (made[i + 1] ?? 0) - at);
  expect(lives).toEqual([2, 2, 10]);
  expect(only(scene.events(sessionId), 'context.trimmed').length).toBeGreaterThan(2);
  expect(only(scene.events(sessionId), 'turn.finished')).toMatchObject([{ outcome: 'done' }]);
});

test.each<[string, Step]>([
  ['calls tools', { calls: [{ name: 'read', input: { path: 'f1.txt' } }] }],
  ['declines', { text: 'No, I would rather not.', stop: 'refusal' }],
])(
  'a model that always %s when it is asked for a summary ends no turn: what was kept word for word stands alone',
  async (_name, step) => {
    const player = reader(14, step);
    const sessionId = await readAll(14, { player, window: 14_000, contextWindow: 60_000, files: filesOf(14, 120) });
    const { events, gateway } = scene;
    expect(only(events(sessionId), 'turn.finished')).toMatchObject([{ outcome: 'done' }]);
    const compacted = only(events(sessionId), 'context.compacted');
    expect(compacted.length).toBeGreaterThan(0);
    for (const { reason, summary } of compacted) {
      expect(reason).toMatch(
        /^the provider refused the prompt as too long; the model wrote no summary in two attempts/,
      );
      expect(summary).toContain('Never touch f9.txt.');
      expect(summary).toContain('No words were written about the newest part.');
    }
    expect(only(events(sessionId), 'toolCall.finished')).toHaveLength(14);
    const asked = gateway.requests.filter(({ conversation }) => asksForSummary(conversation));
    expect(asked).toHaveLength(2 * compacted.length);
  },
);

test('an answer that the window cut short is summed up with the rest, and the model goes on', async () => {
  let cut = false;
  const reads = reader(8);
  const player: Player = (view, memory) => {
    if (cut || view.messages.length < 16 || asksForSummary(view)) return reads(view, memory);
    cut = true;
    return { text: 'Half an answ', stop: 'contextFull' };
  };
  const sessionId = await readAll(8, { player });
  const { events, gateway } = scene;
  expect(only(events(sessionId), 'context.compacted').map(({ reason }) => reason)).toEqual([
    'an answer filled the window',
  ]);
  expect(only(events(sessionId), 'turn.finished')).toMatchObject([{ outcome: 'done' }]);
  expect(gateway.requests.every(({ refusal }) => refusal === null)).toBe(true);
});
