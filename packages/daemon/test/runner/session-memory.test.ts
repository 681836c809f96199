import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { foldSession } from '@zerd/core/session/fold';
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

type EventOf<K extends SessionEvent['kind']> = Extract<SessionEvent, { kind: K }>;

function only<K extends SessionEvent['kind']>(sessionId: SessionId, kind: K): readonly EventOf<K>[] {
  return scene.events(sessionId).flatMap(({ event }) => (event.kind === kind ? [event as EventOf<K>] : []));
}

const notes = (input: Readonly<Record<string, string>>): Step => ({ calls: [{ name: 'notes', input }] });
const todo = (list: string): Step => ({ calls: [{ name: 'todo', input: { list } }] });
const shown = (sessionId: SessionId) => only(sessionId, 'toolCall.finished').map((event) => event.shown);
const fileOf = (sessionId: SessionId) => join(scene.folder, 'state', 'notes', `${sessionId}.md`);
const memory = (sessionId: SessionId) => {
  const { memory: kept } = foldSession(scene.events(sessionId));
  return { notes: kept.notes, todo: kept.todo };
};

async function sayMore(sessionId: SessionId, text = 'More'): Promise<void> {
  const before = only(sessionId, 'turn.finished').length;
  await scene.say(text, { sessionId });
  while (only(sessionId, 'turn.finished').length === before) await new Promise((resolve) => setTimeout(resolve, 5));
}

test('notes and steps are kept in any mode, answered shortly, and lie in a private file once committed', async () => {
  const { say } = await open({
    steps: [
      notes({ goal: 'Make it fast.', next: 'measure' }),
      todo('[x] look\n[>] measure\n[ ] cut'),
      notes({ next: '', done: 'looked' }),
      { text: 'Done.' },
    ],
  });
  const { sessionId } = await scene.runner.createSession({ env: scene.env, mode: 'read-only', trust: true });
  await (await say('Go', { sessionId })).end;
  expect(shown(sessionId)).toEqual(['Kept: goal, next (20 bytes).', '1 of 3 done', 'Kept: goal, done (19 bytes).']);
  const { turnId } = only(sessionId, 'turn.finished')[0] as EventOf<'turn.finished'>;
  expect(only(sessionId, 'notes.changed').at(-1)).toEqual({
    kind: 'notes.changed',
    turnId,
    by: 'model',
    notes: { goal: 'Make it fast.', done: 'looked' },
  });
  expect(readFileSync(fileOf(sessionId), 'utf8')).toMatch(
    /^## Goal\n\nMake it fast\.\n\n## Decisions\n\n## Done\n\nlooked\n\n## Next\n\n## Todo\n\n\[x\] look\n\[>\] measure\n\[ \] cut\n\n<!-- zerd [0-9a-f]{12}: /,
  );
  expect(statSync(fileOf(sessionId)).mode & 0o777).toBe(0o600);
  expect(only(sessionId, 'reminder.added')).toEqual([]);
});

test('what is too long is refused with what to do, and the old stands', async () => {
  const { say } = await open({
    steps: [notes({ goal: 'Old.' }), notes({ goal: 'x'.repeat(5_000) }), notes({}), { text: 'Done.' }],
  });
  const { sessionId, end } = await say('Go');
  await end;
  expect(shown(sessionId).slice(1)).toEqual([
    'Not kept: the notes would take 5000 bytes, the most is 4000. Say it in fewer words; what was kept before stands.',
    'Nothing was given. Give one of: goal, decisions, done, next.',
  ]);
  expect(memory(sessionId).notes).toEqual({ goal: 'Old.' });
});

test('a change by the user is told once, word for word, before the next request; what was sent stays (I3)', async () => {
  const { say, gateway, runner } = await open({
    steps: [notes({ goal: 'Ship.' }), { text: 'Kept.' }, { text: 'I see.' }, { text: 'Yes.' }],
  });
  const { sessionId, end } = await say('Go');
  await end;
  expect(await runner.writeNotes(sessionId, { notes: { decisions: 'No new parser.' } })).toEqual({
    notes: { goal: 'Ship.', decisions: 'No new parser.' },
    todo: '',
    file: fileOf(sessionId),
  });
  await expect(runner.writeNotes(sessionId, { todo: 'x'.repeat(4_001) })).rejects.toMatchObject({
    code: 'invalid_params',
  });
  await sayMore(sessionId);
  await sayMore(sessionId);
  expect(only(sessionId, 'reminder.added')).toMatchObject([
    {
      text: 'The user edited your notes. They now are:\nGoal: Ship.\nDecisions: No new parser.',
      about: { kind: 'notesEdited' },
    },
  ]);
  const sent = gateway.requests.map(({ body }) => JSON.stringify(body.messages).split('<system-reminder>').length - 1);
  expect(sent).toEqual([0, 0, 1, 1]);
  const segments = only(sessionId, 'request.started').map((request) => request.segments);
  for (const [i, now] of segments.entries()) {
    const before = (segments[i - 1] ?? []).slice(0, -1);
    expect(now.slice(0, before.length)).toEqual(before);
  }
});

test('a change of the file by hand is taken over with the next turn, also what a text editor makes of it', async () => {
  const { say } = await open({
    steps: [notes({ goal: 'Ship.' }), { text: 'Kept.' }, { text: 'I see.' }],
  });
  const { sessionId, end } = await say('Go');
  await end;
  const text = readFileSync(fileOf(sessionId), 'utf8');
  writeFileSync(fileOf(sessionId), text.replace('Ship.', 'Ship today.').replace('## Todo\n', '## Todo\n[ ] tag\n'));
  await sayMore(sessionId);
  expect(memory(sessionId)).toEqual({ notes: { goal: 'Ship today.' }, todo: '[ ] tag' });
  expect(only(sessionId, 'reminder.added').map((reminder) => reminder.text)).toEqual([
    'The user edited your notes. They now are:\nGoal: Ship today.\n\nThe user edited your todo list. It now is:\n[ ] tag',
  ]);
  writeFileSync(fileOf(sessionId), '\uFEFFEverything new\r\n');
  expect(await scene.runner.readNotes(sessionId)).toMatchObject({ notes: { goal: 'Everything new' }, todo: '' });
});

test('a change by hand is not lost when the model writes in the same turn', async () => {
  let sessionId: SessionId | undefined;
  const { say } = await open({
    player: (_, { delivered }) => {
      if (delivered === 0) return notes({ goal: 'Ship.' });
      if (delivered > 1 || sessionId === undefined) return { text: 'Done.' };
      writeFileSync(fileOf(sessionId), '## Goal\nShip today.\n## Decisions\nBy hand.\n');
      return notes({ next: 'tag' });
    },
  });
  const created = await scene.runner.createSession({ env: scene.env, mode: 'full', trust: true });
  sessionId = created.sessionId;
  await (await say('Go', { sessionId })).end;
  expect(memory(sessionId).notes).toEqual({ goal: 'Ship today.', decisions: 'By hand.', next: 'tag' });
});

test.each([5_000, 300_000])(
  'a file of %d bytes is refused with its place before anything is submitted, and stays',
  async (bytes) => {
    const { say } = await open({ steps: [notes({ goal: 'Ship.' }), { text: 'Kept.' }] });
    const { sessionId, end } = await say('Go');
    await end;
    const before = scene.events(sessionId).length;
    writeFileSync(fileOf(sessionId), 'x'.repeat(bytes));
    await expect(scene.say('More', { sessionId })).rejects.toMatchObject({
      code: 'invalid_params',
      message: expect.stringContaining(fileOf(sessionId)),
    });
    expect(scene.events(sessionId)).toHaveLength(before);
    expect(readFileSync(fileOf(sessionId), 'utf8')).toHaveLength(bytes);
  },
);

test('a file that a crash left behind, or that is gone, is written anew and never taken for a change', async () => {
  const { say } = await open({
    steps: [notes({ goal: 'One.' }), { text: 'Kept.' }, notes({ goal: 'Two.' }), { text: 'Kept.' }, { text: 'Yes.' }],
  });
  const { sessionId, end } = await say('Go');
  await end;
  const old = readFileSync(fileOf(sessionId), 'utf8');
  await sayMore(sessionId);
  writeFileSync(fileOf(sessionId), old);
  await scene.restart();
  await sayMore(sessionId);
  expect(memory(sessionId).notes).toEqual({ goal: 'Two.' });
  expect(readFileSync(fileOf(sessionId), 'utf8')).toContain('Two.');
  rmSync(fileOf(sessionId));
  expect(await scene.runner.readNotes(sessionId)).toMatchObject({ notes: { goal: 'Two.' } });
  expect(existsSync(fileOf(sessionId))).toBe(true);
});

test('a full disk keeps the notes from their file and from nothing else', async () => {
  const { say } = await open({
    steps: [notes({ goal: 'Ship.' }), { text: 'Kept.' }],
    throughStore: (store) => ({
      ...store,
      notesFiles: { ...store.notesFiles, write: () => Promise.reject(new Error('ENOSPC')) },
    }),
  });
  const { sessionId, end } = await say('Go');
  expect(await end).toMatchObject({ outcome: 'done' });
  expect(memory(sessionId).notes).toEqual({ goal: 'Ship.' });
});
