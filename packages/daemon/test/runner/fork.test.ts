import { afterEach, expect, test } from '@jest/globals';
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { SessionId } from '@zerd/protocol/common/ids';
import { openScene, type Scene } from './harness.ts';
import { whenTrue } from './subagent/crew.ts';

let scene: Scene;
afterEach(() => scene.close());

const file = Array.from({ length: 80 }, (_, i) => `line ${i} of the file\n`).join('');
const read = { calls: [{ name: 'read', input: { path: 'a.txt' } }] };

const events = (sessionId: SessionId) => scene.events(sessionId).map(({ event }) => event);
const shown = (sessionId: SessionId) =>
  events(sessionId).flatMap((event) => (event.kind === 'toolCall.finished' ? [event.shown] : []));
const seqOf = (sessionId: SessionId, kind: SessionEvent['kind'], nth = 0) =>
  scene.events(sessionId).filter(({ event }) => event.kind === kind)[nth]?.seq ?? 0;

/** A further turn, to its end. */
async function goOn(sessionId: SessionId, text: string): Promise<SessionEvent | undefined> {
  await scene.runner.startTurn({ env: scene.env, sessionId, text, trust: true });
  await whenTrue(() => scene.runner.runningTurns() === 0);
  return events(sessionId).findLast(({ kind }) => kind === 'turn.finished');
}

test('a fork has the same events with the same numbers and times, sends the same bytes, and pays nothing again', async () => {
  scene = await openScene({ files: { 'a.txt': file }, steps: [read, { text: 'Read.' }, { text: 'And on.' }] });
  const { sessionId, end } = await scene.say('Read a.txt.');
  await end;
  const before = scene.runner.contextBody(sessionId);
  const { sessionId: fork, seq } = await scene.runner.fork({ sessionId });
  const source = scene.events(sessionId);
  expect(seq).toBe(source.length);
  expect(scene.events(fork).slice(1)).toEqual(source.slice(1));
  expect(events(fork)[0]).toEqual({ ...source[0]?.event, forkOf: { sessionId, seq } });
  expect(scene.runner.contextBody(fork).body).toBe(before.body);
  const rows = () => scene.rows();
  expect(rows().find((row) => row.sessionId === fork)).toMatchObject({
    forkOf: { sessionId, seq },
    requests: 0,
    costPico: 0,
    state: 'idle',
    title: 'Read a.txt.',
  });
  await goOn(fork, 'Go on.');
  // All that the source had sent was read from the cache.
  const cached = scene.gateway.requests.map(({ cache }) => cache?.read ?? 0);
  expect(cached[2]).toBeGreaterThan(0);
  expect(scene.events(sessionId)).toHaveLength(source.length);
  expect(rows().find((row) => row.sessionId === fork)).toMatchObject({ requests: 1 });
});

test('a fork in the middle of a turn is closed there, while the source runs on', async () => {
  scene = await openScene({
    files: { 'a.txt': file },
    steps: [
      {
        calls: [
          { name: 'read', input: { path: 'a.txt' } },
          { name: 'shell', input: { command: 'touch b' } },
        ],
      },
    ],
  });
  const { sessionId } = await scene.runner.createSession({ env: scene.env, mode: 'ask', trust: true });
  const { end } = await scene.say('Go', { sessionId });
  const { approvalId, digest } = await scene.until(sessionId, 'approval.requested');
  const { sessionId: fork } = await scene.runner.fork({ sessionId });
  expect(scene.runner.pendingApprovals(fork)).toEqual([]);
  expect(shown(fork).at(-1)).toBe('Not run in this fork.');
  expect(events(fork).at(-1)).toMatchObject({ kind: 'turn.finished', outcome: 'interrupted' });
  const { sessionId: early } = await scene.runner.fork({
    sessionId,
    atSeq: seqOf(sessionId, 'toolCall.started'),
  });
  expect(shown(early)[0]).toMatch(/^Not run in this fork: the session that it is a fork of had begun this call/);
  await scene.runner.answer({ sessionId, approvalId, digest, decision: 'granted' });
  expect(await end).toMatchObject({ outcome: 'done' });
  expect(await goOn(early, 'Go on.')).toMatchObject({ outcome: 'done' });
});

test('a fork that never saw a file is shown all of it; one that did is given a pointer', async () => {
  scene = await openScene({ files: { 'a.txt': file }, steps: [read, { text: 'Read.' }, read, { text: 'x' }, read] });
  const { sessionId, end } = await scene.say('Read a.txt.');
  await end;
  const first = seqOf(sessionId, 'message.submitted');
  const { sessionId: without } = await scene.runner.fork({ sessionId, atSeq: first });
  const { sessionId: having } = await scene.runner.fork({ sessionId });
  await goOn(without, 'Read it.');
  await goOn(having, 'Read it.');
  expect(shown(without).at(-1)).toContain('line 79 of the file');
  expect(shown(having).at(-1)).toMatch(/^\[a\.txt unchanged since call 1: /);
});

test('a fork of a fork, also at an event before the first was made, names both its source and where the line began', async () => {
  scene = await openScene({ files: { 'a.txt': file }, steps: [read, { text: 'Read.' }] });
  const { sessionId, end } = await scene.say('Read a.txt.');
  await end;
  const one = await scene.runner.fork({ sessionId });
  const two = await scene.runner.fork({ sessionId: one.sessionId, atSeq: 4 });
  expect(events(two.sessionId)[0]).toMatchObject({ forkOf: { sessionId: one.sessionId, seq: 4, origin: sessionId } });
  expect(events(two.sessionId).slice(1, 4)).toEqual(events(sessionId).slice(1, 4));
  const three = await scene.runner.fork({ sessionId: two.sessionId });
  expect(events(three.sessionId)[0]).toMatchObject({ forkOf: { sessionId: two.sessionId, origin: sessionId } });
});

test('there is no fork at an event that is not there', async () => {
  scene = await openScene({});
  const { sessionId } = await scene.runner.createSession({ env: scene.env, trust: true });
  await expect(scene.runner.fork({ sessionId, atSeq: 2 })).rejects.toMatchObject({ code: 'invalid_params' });
  expect((await scene.runner.fork({ sessionId, atSeq: 1 })).seq).toBe(1);
});

test('a fork before a trim sees what the trim took away', async () => {
  const big = (name: string) => ({ calls: [{ name: 'read', input: { path: name } }] });
  const names = ['a.txt', 'b.txt', 'c.txt', 'd.txt'];
  const files = Object.fromEntries(names.map((name) => [name, `${name}\n`.repeat(1_500)]));
  scene = await openScene({
    files,
    config: { context: { window: 1, relief: 'every' } },
    steps: [...names.map(big), { text: 'All read.' }],
  });
  const { sessionId, end } = await scene.say('Read them.');
  await end;
  const trim = seqOf(sessionId, 'context.trimmed');
  expect(trim).toBeGreaterThan(0);
  const { sessionId: fork } = await scene.runner.fork({ sessionId, atSeq: trim - 1 });
  const bytes = (id: SessionId) => scene.runner.contextBody(id).body.length;
  expect(scene.runner.contextBody(fork).body).toContain('a.txt\\na.txt');
  const sentBefore = scene.gateway.requests.filter(({ n }) => n <= 2).at(-1);
  expect(bytes(fork)).toBeGreaterThan(sentBefore?.bytes ?? Number.POSITIVE_INFINITY);
});
