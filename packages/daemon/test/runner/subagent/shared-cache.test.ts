/** What sisters have in common is written into the provider's cache once and read by all of them. */
import { afterEach, expect, test } from '@jest/globals';
import type { Step } from '@zerd/simulator/players/player';
import { type ManualClock, manualClock } from '../../../../../test/support/manual-clock.ts';
import { openScene, type Scene } from '../harness.ts';
import { crewPlayer, eventsOf, gives, resultsOf, taskOf, whenTrue } from './crew.ts';

let scene: Scene;
let clock: ManualClock;
afterEach(() => scene.close());

const file = Array.from({ length: 300 }, (_, i) => `export const value${i} = ${i * 7919}; // line ${i}\n`).join('');
const prompts = Array.from({ length: 8 }, (_, i) => `Check part ${i} of big.ts.`);

/** Eight sisters whose first answers begin when `begins` lets them. */
async function openEight(begins: (task: string) => PromiseLike<unknown>) {
  clock = manualClock();
  const lead: readonly Step[] = [
    { calls: [{ name: 'read', input: { path: 'big.ts' } }] },
    gives(...prompts.map((prompt) => ({ prompt }))),
  ];
  scene = await openScene({
    clock,
    files: { 'big.ts': file },
    player: crewPlayer(lead, (task) => ({ text: `${task} It is right.`, begins: begins(task) })),
  });
  return scene;
}

const sisters = () => scene.gateway.requests.filter(({ conversation }) => taskOf(conversation) !== undefined);
const waiting = () => scene.runner.waits().filter((wait) => wait.for.endsWith('the first answer of its sisters'));

test('eight sub-agents side by side pay what they share once: the first one starts alone', async () => {
  let begin: () => void = () => {};
  const first = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const { say } = await openEight(() => first);
  const { sessionId, end } = await say('Go');
  await whenTrue(() => sisters().length === 1 && waiting().length === 7);
  begin();
  await end;
  const paid = sisters().map(({ cache, tokens }) => ({ ...cache, fixed: tokens.system + tokens.tools }));
  expect(paid).toHaveLength(8);
  const [leader, ...followers] = paid;
  const shared = followers[0]?.read ?? 0;
  expect(shared).toBeGreaterThan((leader?.fixed ?? 0) + 4_000);
  // At most the system text and the tools are there already: the parent wrote them.
  expect(leader?.read).toBeLessThanOrEqual(leader?.fixed ?? 0);
  expect((leader?.read ?? 0) + (leader?.write ?? 0)).toBeGreaterThan(shared);
  for (const { read = 0, write = 0, uncached = 0 } of followers) {
    expect(read).toBe(shared);
    expect(write + uncached).toBeLessThan(250);
  }
  expect(resultsOf(scene, sessionId).filter(([outcome]) => outcome === 'ok')).toHaveLength(9);
});

test('a first answer that does not begin holds the others up for a bounded time', async () => {
  const never = new Promise<void>(() => {});
  const { say, runner } = await openEight((task) => (task === prompts[0] ? never : Promise.resolve()));
  const { sessionId } = await say('Go');
  await whenTrue(() => sisters().length === 1 && waiting().length === 7);
  clock.advance(9_999);
  expect(waiting()).toHaveLength(7);
  clock.advance(1);
  await whenTrue(() => resultsOf(scene, sessionId).length === 8);
  expect(waiting()).toHaveLength(0);
  await runner.interrupt(sessionId);
});

test('a file that is handed over need not be read: a read gives a pointer to the first message', async () => {
  scene = await openScene({
    files: { 'big.ts': file, 'other.ts': 'other\n' },
    player: crewPlayer(
      [
        { calls: ['big.ts', 'other.ts'].map((path) => ({ name: 'read', input: { path } })) },
        gives({ prompt: 'Check big.ts.' }),
      ],
      (_task, turn) =>
        turn === 0
          ? { calls: ['big.ts', 'other.ts'].map((path) => ({ name: 'read', input: { path } })) }
          : { text: 'Right.' },
    ),
  });
  const { sessionId, end } = await scene.say('Go');
  await end;
  const [{ sessionId: child } = { sessionId }] = eventsOf(scene, sessionId, 'subagent.started');
  const [big, other] = resultsOf(scene, child);
  expect(big?.[1]).toMatch(/^\[big\.ts unchanged since the first message: lines 1-300 above; archive [0-9a-f]{12}\]$/);
  expect(other?.[1]).toContain('other');
  const [request] = sisters();
  const shown = request?.conversation.messages[0]?.parts[0];
  expect(shown).toEqual({
    kind: 'text',
    text: `Files as they are now; they need not be read again:\n==> big.ts <==\n${file.trimEnd()}`,
  });
});

test('a file that changed since its parent read it is not handed over', async () => {
  scene = await openScene({
    files: { 'a.ts': file },
    player: crewPlayer(
      [
        {
          calls: [
            { name: 'read', input: { path: 'a.ts' } },
            { name: 'shell', input: { command: 'echo more >> a.ts' } },
          ],
        },
        gives({ prompt: 'Check a.ts.' }),
      ],
      () => ({ text: 'Right.' }),
    ),
  });
  const { sessionId, end } = await scene.say('Go');
  await end;
  const [{ sessionId: child } = { sessionId }] = eventsOf(scene, sessionId, 'subagent.started');
  expect(eventsOf(scene, child, 'message.submitted')[0]?.handed).toBeUndefined();
});
