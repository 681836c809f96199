import { afterEach, expect, test } from '@jest/globals';
import type { LoggedEvent, SessionEvent } from '@zerd/protocol/common/event';
import type { SessionId, TurnId } from '@zerd/protocol/common/ids';
import type { Player } from '@zerd/simulator/players/player';
import { openScene, type Scene, type SceneWish } from './harness.ts';

let scene: Scene;
async function open(wish: SceneWish): Promise<Scene> {
  scene = await openScene(wish);
  return scene;
}
afterEach(() => scene.close());

const only = <K extends SessionEvent['kind']>(events: readonly LoggedEvent[], kind: K) =>
  events.flatMap(({ event }) => (event.kind === kind ? [event as Extract<SessionEvent, { kind: K }>] : []));
const turnOf = (sessionId: SessionId): TurnId =>
  only(scene.events(sessionId), 'turn.started').at(-1)?.turnId ?? ('turn_none' as TurnId);
const steer = (sessionId: SessionId, text: string, expectedTurnId = turnOf(sessionId)) =>
  scene.runner.steer({ env: scene.env, sessionId, expectedTurnId, text });

/** Answers each request with a call, then ends; before each answer `during` has its say. */
function calling(times: number, during: (n: number) => Promise<unknown>): Player {
  let asked = 0;
  return () => {
    const n = ++asked;
    const step = n <= times ? { calls: [{ name: 'find', input: { pattern: `${n}*` } }] } : { text: 'Done.' };
    return { ...step, begins: during(n) };
  };
}

test.each(['anthropic', 'responses', 'chat'] as const)(
  'over %s what is said to a running turn goes in front of its next request, behind the results, and the sent blocks only grow (I3)',
  async (wire) => {
    let sessionId = 'ses_' as SessionId;
    const said = [['leave the tests'], ['and the docs', 'be quick'], []];
    const player = calling(3, async (n) => {
      for (const text of said[n - 1] ?? []) await steer(sessionId, text);
    });
    const { runner, env, say, gateway, events } = await open({ wire, player });
    sessionId = (await runner.createSession({ env, mode: 'full', trust: true })).sessionId;
    const { end } = await say('Go', { sessionId });
    expect(await end).toMatchObject({ outcome: 'done' });
    const log = events(sessionId);
    const queued = only(log, 'prompt.queued');
    expect(queued.map(({ text, steers }) => [text, steers])).toEqual(
      ['leave the tests', 'and the docs', 'be quick'].map((text) => [text, turnOf(sessionId)]),
    );
    expect(only(log, 'message.submitted').map(({ text, promptId, turnId }) => [text, promptId, turnId])).toEqual([
      ['Go', undefined, turnOf(sessionId)],
      ...queued.map(({ text, promptId }) => [text, promptId, turnOf(sessionId)]),
    ]);
    const has = (text: string) => gateway.requests.map(({ bodyText }) => bodyText.includes(text));
    expect(has('leave the tests')).toEqual([false, true, true, true]);
    expect(has('be quick')).toEqual([false, false, true, true]);
    const started = only(log, 'request.started').map(({ segments }) => segments);
    for (const [i, now] of started.entries()) {
      const before = started[i - 1]?.slice(0, -1) ?? [];
      expect(now.slice(0, before.length)).toEqual(before);
    }
    expect(runner.queued(sessionId)).toEqual({ prompts: [], paused: false });
  },
);

test('a turn whose model has ended goes on when something was said meanwhile', async () => {
  let sessionId = 'ses_' as SessionId;
  const player = calling(0, async (n) => void (n === 1 && (await steer(sessionId, 'one more thing'))));
  const { runner, env, say, events, gateway } = await open({ player });
  sessionId = (await runner.createSession({ env, trust: true })).sessionId;
  const { end } = await say('Go', { sessionId });
  expect(await end).toMatchObject({ outcome: 'done' });
  expect(only(events(sessionId), 'turn.finished')).toHaveLength(1);
  expect(gateway.requests).toHaveLength(2);
  expect(gateway.requests[1]?.bodyText).toContain('one more thing');
});

test('what is said to a turn that may ask no more begins a turn of its own', async () => {
  let sessionId = 'ses_' as SessionId;
  const player = calling(0, async (n) => void (n === 1 && (await steer(sessionId, 'one more thing'))));
  const { runner, env, say, events, gateway } = await open({ player });
  sessionId = (await runner.createSession({ env, trust: true })).sessionId;
  await say('Go', { sessionId, maxRequests: 1 });
  await gateway.received(2);
  const turns = only(events(sessionId), 'turn.started').map(({ turnId }) => turnId);
  expect(turns).toHaveLength(2);
  expect(only(events(sessionId), 'message.submitted').map(({ turnId }) => turnId)).toEqual(turns);
});

test('what is meant for another turn, or for none, is refused, and nothing of it is kept', async () => {
  const { runner, env, say, events, gateway } = await open({ steps: [], faults: [{ fault: { kind: 'no-answer' } }] });
  const { sessionId } = await runner.createSession({ env, trust: true });
  const other = 'turn_other' as TurnId;
  await expect(steer(sessionId, 'hey', other)).rejects.toMatchObject({
    code: 'unknown_turn',
    message: `In session ${sessionId} no turn runs, not turn_other; nothing was kept. Read the session again, and start a turn with it.`,
  });
  const { end } = await say('Go', { sessionId });
  await gateway.received(1);
  const before = events(sessionId).length;
  await expect(steer(sessionId, 'hey', other)).rejects.toMatchObject({ code: 'unknown_turn' });
  await expect(steer(sessionId, ' ')).rejects.toMatchObject({ code: 'invalid_params' });
  expect(events(sessionId)).toHaveLength(before);
  await runner.interrupt(sessionId);
  await end;
});

test('what an interrupted turn was not told any more waits like any other prompt, until the user says something', async () => {
  const { runner, env, say, gateway, until } = await open({
    steps: [{ text: 'As you say.' }],
    faults: [{ fault: { kind: 'no-answer' }, times: 1 }],
  });
  const { sessionId } = await runner.createSession({ env, trust: true });
  const { end } = await say('Go', { sessionId });
  await gateway.received(1);
  const { promptId } = await steer(sessionId, 'stop that');
  expect(runner.queued(sessionId).prompts).toMatchObject([{ promptId, steers: turnOf(sessionId) }]);
  await runner.interrupt(sessionId);
  await end;
  const { prompts, paused } = runner.queued(sessionId);
  expect([prompts.map(({ steers, text }) => [text, steers]), paused]).toEqual([[['stop that', undefined]], true]);
  await runner.runQueue({ env, sessionId, trust: true });
  await until(sessionId, 'assistant.finished');
  expect(only(scene.events(sessionId), 'message.submitted').at(-1)).toMatchObject({ promptId, text: 'stop that' });
});
