import { afterEach, expect, test } from '@jest/globals';
import { notebook } from '../../../../test/support/outside/notes-and-browser.ts';
import { fakeMcp } from '../support/fake-mcp.ts';
import { asksForSummary, closeScene, compact, filesOf, only, readAll, sayOn, scene } from './compaction-scene.ts';
import type { SceneWish } from './harness.ts';

afterEach(closeScene);

test('I5: after a summary the servers are told again, once, with the next request', async () => {
  const sessionId = await readAll(10, { mcp: fakeMcp([notebook]) });
  const tellings = () =>
    only(scene.events(sessionId), 'reminder.added').filter(({ about }) => about.kind === 'outsideTools');
  expect(tellings()).toHaveLength(1);
  await compact(sessionId);
  expect(only(scene.events(sessionId), 'context.compacted')).toHaveLength(1);
  for (const text of ['More', 'And more']) await sayOn(sessionId, text);
  expect(tellings().map(({ text }) => text)).toEqual([tellings()[0]?.text, tellings()[0]?.text]);
  const last = scene.gateway.requests.at(-1)?.bodyText ?? '';
  expect(last.split('Outside tools, called as mcp').length - 1).toBe(1);
});

test.each<[string, number, SceneWish]>([
  ['the planner has it summed up', 16, { contextWindow: 16_000, files: filesOf(16, 400) }],
  ['the provider refuses it', 14, { window: 14_000, contextWindow: 60_000, files: filesOf(14, 120) }],
])(
  'I5: where %s, the request that follows tells of the servers again, and every other one once',
  async (_, times, wish) => {
    const sessionId = await readAll(times, { mcp: fakeMcp([notebook]), ...wish });
    expect(only(scene.events(sessionId), 'context.compacted').length).toBeGreaterThan(0);
    const asked = scene.gateway.requests.filter(({ conversation }) => !asksForSummary(conversation));
    const tellings = asked.map(({ bodyText }) => bodyText.split('Outside tools, called as mcp').length - 1);
    expect(new Set(tellings)).toEqual(new Set([1]));
  },
);
