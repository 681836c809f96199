import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { SessionId } from '@zerd/protocol/common/ids';
import type { Step } from '@zerd/simulator/players/player';
import { openScene, type Scene, type SceneWish } from './harness.ts';

let scene: Scene;
async function open(wish: SceneWish): Promise<Scene> {
  scene = await openScene(wish);
  return scene;
}
afterEach(() => scene.close());

type Reminder = Extract<SessionEvent, { kind: 'reminder.added' }>;
const reminders = (sessionId: SessionId): readonly Reminder[] =>
  scene.events(sessionId).flatMap(({ event }) => (event.kind === 'reminder.added' ? [event] : []));
const turnsEnded = (sessionId: SessionId) =>
  scene.events(sessionId).filter(({ event }) => event.kind === 'turn.finished').length;
const put = (name: string, text: string) => writeFileSync(join(scene.root, name), text);
const calls = (name: string, ...inputs: readonly Step['calls'][]): Step => ({
  calls: inputs.map((input) => ({ name, input })) as never,
});
const read = (...paths: readonly string[]) => calls('read', ...(paths.map((path) => ({ path })) as never[]));
const shell = (command: string) => calls('shell', { command } as never);

/** Says something more and settles when that turn is over. */
async function sayMore(sessionId: SessionId, text = 'More'): Promise<void> {
  const before = turnsEnded(sessionId);
  await scene.say(text, { sessionId });
  while (turnsEnded(sessionId) === before) await new Promise((resolve) => setTimeout(resolve, 5));
}

const many = (count: number) => Array.from({ length: count }, (_, i) => `line ${i + 1}\n`).join('');

test.each(['anthropic', 'chat'] as const)(
  'a change between two turns is told by its lines, once, over %s, and the sent blocks only grow (I3)',
  async (wire) => {
    const { say, gateway } = await open({
      wire,
      files: { 'a.txt': many(30) },
      steps: [read('a.txt'), { text: 'Read.' }, { text: 'I see.' }, { text: 'Yes.' }],
    });
    const { sessionId, end } = await say('Go');
    await end;
    put('a.txt', many(30).replace('line 12\n', 'changed\n'));
    await sayMore(sessionId);
    await sayMore(sessionId);
    expect(reminders(sessionId).map(({ text }) => text)).toEqual([
      'a.txt changed on disk since you last saw it:\n@@ -11,3 +11,3 @@\n line 11\n-line 12\n+changed\n line 13',
    ]);
    const sent = gateway.requests.map(({ bodyText }) => bodyText.split('<system-reminder>\\n').length - 1);
    expect(sent).toEqual([0, 0, 1, 1]);
    const segments = scene.events(sessionId).flatMap(({ event }) => (event.kind === 'request.started' ? [event] : []));
    for (const [i, { segments: now }] of segments.entries()) {
      const before = (segments[i - 1]?.segments ?? []).slice(0, -1);
      expect(now.slice(0, before.length)).toEqual(before);
    }
    expect(gateway.requests.every(({ refusal }) => refusal === null)).toBe(true);
  },
);

test('P026: three files change outside, twenty calls follow: each change is told once', async () => {
  const names = ['a.txt', 'b.txt', 'c.txt'];
  const { say } = await open({
    files: { ...Object.fromEntries(names.map((name) => [name, many(400)])), 'd.txt': 'd\n' },
    steps: [
      read(...names),
      { text: 'Read.' },
      ...Array.from({ length: 20 }, () => shell('cat d.txt')),
      { text: 'Done.' },
    ],
  });
  const { sessionId, end } = await say('Go');
  await end;
  for (const name of names) put(name, many(500).replaceAll('line', 'row'));
  await sayMore(sessionId);
  expect(reminders(sessionId).map(({ text }) => text)).toEqual([
    'Changed on disk since you last saw it; read it again before you rely on it: a.txt, b.txt, c.txt',
  ]);
});

test('P026, P032: before an edit of a changed file the change is told again, with the edit', async () => {
  const { say, events } = await open({
    files: { 'a.txt': many(30) },
    steps: [
      read('a.txt'),
      shell("sed -i 's/^line 20$/by sed/' a.txt"),
      calls('edit', { path: 'a.txt', old: 'line 3\n', new: 'three\n' } as never),
      { text: 'Done.' },
    ],
  });
  const { sessionId, end } = await say('Go');
  await end;
  expect(reminders(sessionId).map(({ text }) => text)).toEqual([expect.stringContaining('-line 20\n+by sed')]);
  const results = events(sessionId).flatMap(({ event }) => (event.kind === 'toolCall.finished' ? [event] : []));
  expect(results.at(-1)).toMatchObject({
    outcome: 'ok',
    shown: expect.stringContaining('had changed since you last saw it'),
  });
  expect(readFileSync(join(scene.root, 'a.txt'), 'utf8')).toMatch(/three\n[\s\S]*by sed\n/);
});

test('P028: a file that was never read is never shown, whoever rewrites it', async () => {
  const { say, gateway } = await open({
    files: { 'a.txt': 'a\n', 'big.json': '{"old": 1}' },
    steps: [read('a.txt'), shell(`echo '{"secret": 2}' > big.json`), { text: 'Done.' }, { text: 'Yes.' }],
  });
  const { sessionId, end } = await say('Go');
  await end;
  put('big.json', JSON.stringify({ rows: many(5_000) }));
  await sayMore(sessionId);
  expect(reminders(sessionId)).toEqual([]);
  expect(gateway.requests.at(-1)?.bodyText).not.toContain('rows');
});

test('P024, P030: what the agent itself writes is never told, whatever it edits', async () => {
  const names = Array.from({ length: 17 }, (_, i) => `f${i}.txt`);
  const { say } = await open({
    files: Object.fromEntries(names.map((name) => [name, many(30)])),
    steps: [
      read(...names),
      calls('edit', ...(names.map((path) => ({ path, old: 'line 3\n', new: 'three\n' })) as never[])),
      calls('write', { path: 'new.txt', content: 'new\n' } as never),
      shell('true'),
      { text: 'Done.' },
      { text: 'Yes.' },
    ],
  });
  const { sessionId, end } = await say('Go');
  await end;
  await sayMore(sessionId);
  expect(reminders(sessionId)).toEqual([]);
});

test('a file that is touched without a change, or replaced by the same bytes, is not spoken of (2.9)', async () => {
  const { say } = await open({
    files: { 'a.txt': 'a\n', 'b.txt': 'b\n' },
    steps: [read('a.txt', 'b.txt'), shell('touch a.txt; cp b.txt c; mv c b.txt'), { text: 'Done.' }],
  });
  const { sessionId, end } = await say('Go');
  await end;
  expect(reminders(sessionId)).toEqual([]);
});

test('a change of the same size and the edit of another session are told, and not to the session that made it (2.9)', async () => {
  const { say, runner, env } = await open({
    files: { 'a.txt': many(30), 'b.txt': many(20) },
    steps: [
      read('a.txt', 'b.txt'),
      { text: 'Read.' },
      calls('read', { path: 'b.txt' } as never),
      calls('edit', { path: 'b.txt', old: 'line 5\n', new: 'five\n' } as never),
      { text: 'Edited.' },
      { text: 'I see.' },
    ],
  });
  const first = await say('Go');
  await first.end;
  put('a.txt', many(30).replace('line 12\n', 'lime 12\n'));
  const other = await runner.createSession({ env, mode: 'full', trust: true });
  await (await say('Edit', { sessionId: other.sessionId })).end;
  await sayMore(first.sessionId);
  expect(reminders(other.sessionId)).toEqual([]);
  expect(reminders(first.sessionId).map(({ text }) => text.split('\n').filter((line) => /^[-+]/.test(line)))).toEqual([
    ['-line 12', '+lime 12', '-line 5', '+five'],
  ]);
});

test('a change while a turn runs is told with its next request', async () => {
  const { say, runner, until } = await open({
    files: { 'a.txt': many(30) },
    steps: [read('a.txt'), calls('write', { path: 'b.txt', content: 'b\n' } as never), { text: 'Done.' }],
  });
  const { sessionId } = await runner.createSession({ env: scene.env, mode: 'ask', trust: true });
  const { end } = await say('Go', { sessionId });
  const { approvalId } = await until(sessionId, 'approval.requested');
  put('a.txt', many(30).replace('line 12\n', 'meanwhile\n'));
  const [pending] = runner.pendingApprovals(sessionId);
  await runner.answer({ sessionId, approvalId, digest: pending?.digest ?? '', decision: 'granted' });
  await end;
  expect(reminders(sessionId).map(({ text }) => text)).toEqual([expect.stringContaining('+meanwhile')]);
});

test('what was told is in the log: across restarts a change, a removal and a return are each told once', async () => {
  const { say, restart } = await open({
    files: { 'a.txt': many(30) },
    steps: [read('a.txt'), ...Array.from({ length: 6 }, () => ({ text: 'Yes.' }))],
  });
  const { sessionId, end } = await say('Go');
  await end;
  const after = async (change: () => void) => {
    change();
    await restart();
    await sayMore(sessionId);
    return reminders(sessionId).map(({ about }) => (about.kind === 'filesChanged' ? about.files[0]?.lines : about));
  };
  expect(await after(() => undefined)).toEqual([]);
  expect(await after(() => put('a.txt', many(30).replace('line 2\n', 'two\n')))).toEqual([true]);
  expect(await after(() => undefined)).toEqual([true]);
  expect(await after(() => rmSync(join(scene.root, 'a.txt')))).toEqual([true, false]);
  expect(await after(() => put('a.txt', many(30)))).toEqual([true, false, false]);
  expect(reminders(sessionId).map(({ text }) => text.split('\n').at(-1))).toEqual([
    ' line 3',
    'No longer on disk: a.txt',
    'Further changes are not told until you read it: a.txt',
  ]);
});

test.each(['anthropic', 'chat'] as const)(
  'a call that arrives as text over %s is never an answer: it is told, and the turn goes on',
  async (wire) => {
    const leak = { text: '<tool_call>{"name":"reed","arguments":{"path":"a.txt"}}</tool_call>' };
    const { say, gateway } = await open({
      wire,
      files: { 'a.txt': 'a\n' },
      steps: [leak, read('a.txt'), leak, { text: 'Done.' }],
    });
    const { sessionId, end } = await say('Go');
    expect(await end).toMatchObject({ outcome: 'done' });
    expect(reminders(sessionId).map(({ about }) => about)).toEqual([
      { kind: 'leakedCall', times: 1 },
      { kind: 'leakedCall', times: 1 },
    ]);
    expect(gateway.requests.map(({ refusal }) => refusal)).toEqual([null, null, null, null]);
    expect(gateway.requests[1]?.bodyText).toContain('arrived as text');
  },
);

test('a model whose calls only ever arrive as text fails its turn with the reason', async () => {
  const { say } = await open({ steps: Array.from({ length: 3 }, () => ({ text: '[TOOL_CALLS]reed[ARGS]{}' })) });
  const { sessionId, end } = await say('Go');
  expect(await end).toMatchObject({ outcome: 'failed', failure: { code: 'provider_malformed' } });
  expect(reminders(sessionId)).toHaveLength(2);
});
