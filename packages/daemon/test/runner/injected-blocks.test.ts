import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import type { SessionId } from '@zerd/protocol/common/ids';
import type { Player, Step } from '@zerd/simulator/players/player';
import { asksForSummary, closeScene, compact, only, open, prose, sayOn, scene } from './compaction-scene.ts';

afterEach(closeScene);

function put(path: string, text: string): void {
  mkdirSync(dirname(join(scene.root, path)), { recursive: true });
  writeFileSync(join(scene.root, path), text);
}

/** Of an empty session: the ceiling of system text and tools, 2,700, and the facts of the moment with one word. */
const mostOfFirst = 2_800;

test.each(['anthropic', 'responses', 'chat'] as const)(
  'complaints 2.1: over %s the first request of an empty session is 2,800 tokens at most',
  async (wire) => {
    const { say, gateway } = await open({ wire, steps: [{ text: 'Well.' }] });
    await (await say('hi')).end;
    const [first] = gateway.requests;
    const whole = (first?.cache?.read ?? 0) + (first?.cache?.write ?? 0) + (first?.cache?.uncached ?? 0);
    expect(whole).toBeGreaterThan(1_000);
    expect(whole).toBeLessThanOrEqual(mostOfFirst);
  },
);

const call = (name: string, input: object): Step => ({ calls: [{ name, input }] });
const padding = Array.from({ length: 150 }, (_, line) => `export const a${line} = ${line};\n`).join('');

/**
 * Reads where folders have rules and loads a skill, in each of its turns; sums up when it is asked to. A skill is asked
 * for, not injected: what a summary repeats of one may be loaded again.
 */
function worker(): Player {
  let step = 0;
  const turn: readonly Step[] = [
    call('read', { path: 'apps/a.ts' }),
    call('read', { path: 'apps/b.ts' }),
    call('skill', { name: 'review' }),
    { text: 'Done.' },
  ];
  return (view) => (asksForSummary(view) ? { aside: true, text: prose } : (turn[step++ % turn.length] ?? {}));
}

const times = (text: string, part: string) => text.split(part).length - 1;

/** Everything that zerd itself puts into a prompt, as it stands in a body. */
function injected(sessionId: SessionId): readonly string[] {
  const events = scene.events(sessionId);
  const texts = [
    ...only(events, 'message.submitted').flatMap(({ facts }) => (facts === undefined ? [] : [facts])),
    ...only(events, 'reminder.added').map(({ text }) => text),
    ...only(events, 'context.compacted').map(({ summary }) => summary),
  ];
  return [...new Set(texts)].map((text) => JSON.stringify(text).slice(1, -1));
}

test('complaints 2.1: no block that is injected stands twice in one request, over turns, changes, summaries and a restart', async () => {
  const { gateway, runner, env } = await open({ player: worker() });
  put('AGENTS.md', 'Rule of the root.');
  put('apps/AGENTS.md', 'Rule of apps.');
  put('.zerd/skills/review/SKILL.md', '---\nname: review\ndescription: Reviews it.\n---\nLook at every line.\n');
  for (const name of ['a', 'b']) put(`apps/${name}.ts`, padding);
  const { sessionId } = await runner.createSession({ env, mode: 'full', trust: true });
  await sayOn(sessionId, 'Go');
  await runner.setMode(sessionId, 'edit');
  put('AGENTS.md', 'Rule of the root, changed.');
  put('apps/a.ts', `${padding}export const b = 1;\n`);
  await sayOn(sessionId, 'Go on');
  expect((await compact(sessionId)).outcome).toBe('done');
  await sayOn(sessionId, 'And on');
  await scene.restart();
  await sayOn(sessionId, 'To the end');
  await compact(sessionId);
  await sayOn(sessionId, 'Once more');

  const blocks = injected(sessionId);
  expect(only(scene.events(sessionId), 'context.compacted')).toHaveLength(2);
  expect(blocks.length).toBeGreaterThan(4);
  const twice = gateway.requests.flatMap(({ n, bodyText }) => {
    return ['Working folder: ', 'Rule of apps.', ...blocks]
      .filter((block) => times(bodyText, block) > 1)
      .map((block) => `request ${n}: ${block}`);
  });
  expect(twice).toEqual([]);
  const fixed = ['You are zerd', 'Rule of the root.', 'Reviews it.'];
  for (const { n, bodyText } of gateway.requests)
    expect([n, ...fixed.map((block) => times(bodyText, block))]).toEqual([n, 1, 1, 1]);
  // Each of them was there at all.
  for (const block of ['Working folder: ', 'Rule of apps.', ...blocks])
    expect([block, gateway.requests.some(({ bodyText }) => bodyText.includes(block))]).toEqual([block, true]);
});
