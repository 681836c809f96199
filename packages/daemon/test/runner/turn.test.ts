import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import type { LoggedEvent, SessionEvent } from '@zerd/protocol/common/event';
import type { SessionId } from '@zerd/protocol/common/ids';
import { openScene, type Scene, type SceneWish } from './harness.ts';

let scene: Scene;
async function open(wish: SceneWish): Promise<Scene> {
  scene = await openScene(wish);
  return scene;
}
afterEach(() => scene.close());

const kinds = (events: readonly LoggedEvent[]) => events.map(({ event }) => event.kind);
const only = <K extends SessionEvent['kind']>(events: readonly LoggedEvent[], kind: K) =>
  events.flatMap(({ event }) => (event.kind === kind ? [event as Extract<SessionEvent, { kind: K }>] : []));

test('a turn is logged in order: intent before effect, each request with its usage (I1, I9)', async () => {
  const { say, events } = await open({
    files: { 'a.txt': 'one\n' },
    steps: [{ text: 'Look.', calls: [{ name: 'read', input: { path: 'a.txt' } }] }, { text: 'Done.' }],
  });
  const { sessionId, end } = await say('Go');
  expect(await end).toEqual({ kind: 'turn.finished', turnId: expect.any(String), outcome: 'done' });
  expect(kinds(events(sessionId))).toEqual([
    'session.created',
    'turn.started',
    'message.submitted',
    'request.started',
    'assistant.finished',
    'toolCall.started',
    'toolCall.finished',
    'request.started',
    'assistant.finished',
    'turn.finished',
  ]);
  expect(
    only(events(sessionId), 'assistant.finished').map(({ usage, costPico }) => [usage.reported, costPico !== null]),
  ).toEqual([
    [true, true],
    [true, true],
  ]);
});

test.each(['anthropic', 'chat'] as const)(
  'what was sent over %s can be read again, byte for byte, for every past request (I2)',
  async (wire) => {
    const { say, events, runner, gateway } = await open({
      wire,
      files: { 'a.txt': 'one\n' },
      steps: [
        {
          reasoning: 'Hm.',
          text: 'Look.',
          calls: [
            { name: 'read', input: { path: 'a.txt' } },
            { name: 'search', input: { pattern: 'one' } },
          ],
        },
        { calls: [{ name: 'edit', input: { path: 'a.txt', old: 'one', new: 'two' } }] },
        { text: 'Done.' },
      ],
    });
    const { sessionId, end } = await say('Go');
    await end;
    const started = only(events(sessionId), 'request.started');
    const again = started.map(({ requestId }) => runner.contextBody(sessionId, requestId).body);
    expect(again).toEqual(gateway.requests.map(({ bodyText }) => bodyText));
    expect(started.map(({ bytes }) => bytes)).toEqual(
      gateway.requests.map(({ bodyText }) => Buffer.byteLength(bodyText)),
    );
    expect(readFileSync(join(scene.root, 'a.txt'), 'utf8')).toBe('two\n');
  },
);

test.each(['anthropic', 'chat'] as const)(
  'over %s the sent blocks only grow, over messages, failures, modes and a restart (I3)',
  async (wire) => {
    const { say, events, restart } = await open({
      wire,
      files: { 'a.txt': 'one\n' },
      steps: [
        { reasoning: 'Hm.', calls: [{ name: 'read', input: { path: 'a.txt' } }] },
        { text: 'One.' },
        { text: 'Two.' },
        { text: 'Three.' },
      ],
      faults: [{ on: 3, fault: { kind: 'status', status: 400, message: 'no' } }],
    });
    const { sessionId, end } = await say('Go');
    await end;
    const turnEnds = (n: number) => eventually(() => only(events(sessionId), 'turn.finished').length === n);
    await say('This one fails', { sessionId });
    await turnEnds(2);
    await scene.runner.setMode(sessionId, 'ask');
    await say('Again', { sessionId });
    await turnEnds(3);
    await restart();
    await say('And after a restart', { sessionId });
    await turnEnds(4);
    const sent = only(events(sessionId), 'request.started').map(({ segments }) =>
      segments.map(({ name, hash }) => `${name} ${hash}`),
    );
    expect(sent.length).toBe(5);
    sent.reduce((before, now) => {
      expect(now.slice(0, before.length - 1)).toEqual(before.slice(0, -1));
      return now;
    });
  },
);

test('a call that was open when the process died is told as unknown and never run again, and the turn goes on (I9, F-09)', async () => {
  const { say, events, until, restart, gateway } = await open({
    files: {},
    steps: [{ calls: [{ name: 'shell', input: { command: 'echo x >> ran; sleep 30' } }] }, { text: 'I see.' }],
  });
  const { sessionId } = await say('Go');
  await until(sessionId, 'toolCall.started');
  await eventually(() => ran(scene.root) === 'x\n');
  await restart();
  expect(await until(sessionId, 'turn.finished')).toMatchObject({ outcome: 'done' });
  const left = only(events(sessionId), 'toolCall.finished');
  expect(left).toEqual([
    expect.objectContaining({
      outcome: 'unknown',
      shown: expect.stringMatching(/^Interrupted, result unknown: .* It is job_/),
    }),
  ]);
  expect(kinds(events(sessionId)).slice(-4)).toEqual([
    'turn.resumed',
    'request.started',
    'assistant.finished',
    'turn.finished',
  ]);
  expect(ran(scene.root)).toBe('x\n');
  expect(gateway.requests.at(-1)?.bodyText).toContain('result unknown');
});

test('no key and no token reaches a tool, the log or the database (S-64, S-65)', async () => {
  const { say, events, folder } = await open({
    steps: [{ calls: [{ name: 'shell', input: { command: 'env' } }] }, { text: 'Done.' }],
  });
  const { sessionId, end } = await say('Go');
  await end;
  const [result] = only(events(sessionId), 'toolCall.finished');
  expect(result?.shown).toContain('PATH=');
  expect(result?.shown).not.toMatch(/canary|ZERD|SIM_KEY/);
  for (const file of ['zerd.db', 'zerd.db-wal']) {
    expect(readFileSync(join(folder, 'state', file)).includes('canary')).toBe(false);
  }
});

test('nothing is read, run or asked before trust (I7, S-25)', async () => {
  const { runner, env, gateway } = await open({ steps: [{ text: 'Hi.' }] });
  await expect(runner.createSession({ env })).rejects.toMatchObject({ code: 'untrusted' });
  const { sessionId } = await runner.createSession({ env, trust: true });
  await expect(runner.startTurn({ env, sessionId, text: 'Go' })).rejects.toMatchObject({ code: 'untrusted' });
  expect(gateway.requests).toEqual([]);
});

test('a turn that cannot begin leaves no trace', async () => {
  const { runner, env, events } = await open({ steps: [] });
  const { sessionId } = await runner.createSession({ env, trust: true });
  const refused = (more: object) =>
    expect(runner.startTurn({ env, sessionId, text: 'Go', trust: true, ...more })).rejects;
  await refused({ text: ' \n' }).toMatchObject({ code: 'invalid_params' });
  await refused({ model: 'sim/other' }).toMatchObject({ code: 'unknown_model' });
  await refused({ env: {} }).toMatchObject({ code: 'key_missing' });
  await refused({ sessionId: 'ses_none' as SessionId }).toMatchObject({ code: 'unknown_session' });
  expect(kinds(events(sessionId))).toEqual(['session.created']);
});

test('a second turn is refused while one is running, and nothing of it is kept', async () => {
  const { say, runner, env, events } = await open({
    steps: [{ calls: [{ name: 'shell', input: { command: 'sleep 30' } }] }],
  });
  const { sessionId } = await say('Go');
  await expect(runner.startTurn({ env, sessionId, text: 'More', trust: true })).rejects.toMatchObject({
    code: 'turn_running',
  });
  expect(only(events(sessionId), 'message.submitted')).toHaveLength(1);
  expect(await runner.interrupt(sessionId)).toBe(true);
});

function ran(root: string): string {
  try {
    return readFileSync(join(root, 'ran'), 'utf8');
  } catch {
    return '';
  }
}

/** Looks again until it holds; jest's own limit ends a wait for what never comes. */
async function eventually(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
}
