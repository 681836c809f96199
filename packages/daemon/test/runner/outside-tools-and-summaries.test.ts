import { afterEach, expect, test } from '@jest/globals';
import { notebook } from '../../../../test/support/outside/notes-and-browser.ts';
import { fakeMcp } from '../support/fake-mcp.ts';
import { closeScene, compact, only, readAll, sayOn, scene } from './compaction-scene.ts';

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
