import { afterEach, expect, test } from '@jest/globals';
import type { SessionId } from '@zerd/protocol/common/ids';
import { type ManualClock, manualClock } from '../../../../../test/support/manual-clock.ts';
import { openScene, type Scene, type SceneWish } from '../harness.ts';
import { crewPlayer, eventsOf, gives, resultsOf, whenTrue } from './crew.ts';

let scene: Scene;
let clock: ManualClock;
async function open(wish: SceneWish): Promise<Scene> {
  clock = manualClock();
  scene = await openScene({ ...wish, clock });
  return scene;
}
afterEach(async () => {
  let closed = false;
  const closing = scene.close().finally(() => {
    closed = true;
  });
  // The end of a command looks at its processes from time to time.
  await whenTrue(() => {
    clock.advance(20);
    return closed;
  });
  await closing;
});

const started = (sessionId: SessionId) => eventsOf(scene, sessionId, 'subagent.started');

test('a task runs in a session of its own, with the very system text and tools, and only its answer returns', async () => {
  const { say, gateway, events } = await open({
    files: { 'a.txt': 'one\n' },
    player: crewPlayer([gives({ prompt: 'Say what a.txt holds.', title: 'look' })], (_task, turn) =>
      turn === 0
        ? { text: 'Looking.', calls: [{ name: 'read', input: { path: 'a.txt' } }] }
        : { text: 'It holds one.' },
    ),
  });
  const { sessionId, end } = await say('Go');
  expect(await end).toMatchObject({ outcome: 'done' });
  const [{ sessionId: child } = { sessionId }] = started(sessionId);
  const [own, its] = [sessionId, child].map((id) => events(id)[0]?.event);
  expect(its).toMatchObject({ parent: { sessionId, title: 'look', depth: 1 }, mode: 'read-only' });
  if (own?.kind !== 'session.created' || its?.kind !== 'session.created') throw new Error('not created');
  expect([its.system, its.tools, its.model]).toEqual([own.system, own.tools, own.model]);
  const [[outcome, shown] = []] = resultsOf(scene, sessionId);
  expect(outcome).toBe('ok');
  expect(shown).toMatch(
    new RegExp(`^sub-agent "look", ${child}: 2 requests, \\$0\\.\\d+\\nIt holds one\\.\\n\\[it read a\\.txt\\]$`),
  );
  const sent = gateway.requests.map(({ body }) => JSON.stringify([body.system, body.tools]));
  expect(new Set(sent).size).toBe(1);
});

test('without write it changes nothing; with write it may do what its parent may', async () => {
  const { say, runner } = await open({
    player: crewPlayer(
      [gives({ prompt: 'look', title: 'r' }, { prompt: 'change', title: 'w', write: true })],
      (task, turn) =>
        turn === 0 ? { calls: [{ name: 'write', input: { path: `${task}.txt`, content: 'new' } }] } : { text: 'tried' },
    ),
  });
  const { sessionId } = await runner.createSession({ env: scene.env, mode: 'edit', trust: true });
  await (await say('Go', { sessionId })).end;
  const outcomes = started(sessionId).map(({ title, sessionId: id }) => [title, resultsOf(scene, id)[0]?.[0]]);
  expect(outcomes.toSorted()).toEqual([
    ['r', 'denied'],
    ['w', 'ok'],
  ]);
});

test('P084: the result of the second is there while the first still hangs, which ends at its silence', async () => {
  const { say, runner } = await open({
    player: crewPlayer([gives({ prompt: 'hangs' }, { prompt: 'answers' })], (task) =>
      task === 'hangs'
        ? { text: 'x', fault: { kind: 'silence', after: 'first-event' }, faultTimes: 99 }
        : { text: 'Here.' },
    ),
  });
  const { sessionId, end } = await say('Go');
  // The second waits for the first answer of the first, but not for long.
  await whenTrue(() => runner.waits().some((wait) => wait.for.endsWith('the first answer of its sisters')));
  clock.advance(10_000);
  await whenTrue(() => resultsOf(scene, sessionId).length > 0);
  expect(resultsOf(scene, sessionId).map(([, shown]) => shown.split('\n')[1])).toEqual(['Here.']);
  expect(runner.waits().map((wait) => wait.for)).toContain('sub-agent hangs');
  await whenTrue(() => {
    clock.advance(1_000);
    return resultsOf(scene, sessionId).length === 2;
  });
  expect(await end).toMatchObject({ outcome: 'done' });
  const [, [outcome, shown] = []] = resultsOf(scene, sessionId);
  expect(outcome).toBe('failed');
  expect(shown).toContain('The sub-agent did not come to its end: ended, because its model said nothing for 3 min.');
  expect(eventsOf(scene, sessionId, 'wait.expired')).toMatchObject([{ for: 'sub-agent hangs', afterMs: 180_000 }]);
});

test('P086: whose stream stalls for good is cancelled, and its parent is told what it had said and where', async () => {
  const { say } = await open({
    config: { deadlines: { subagentSilenceMs: 30_000 } },
    player: crewPlayer([gives({ prompt: 'stalls' })], (_task, turn) =>
      turn === 0
        ? { text: 'Half of it is clear.', calls: [{ name: 'find', input: { pattern: '*' } }] }
        : { text: 'x', fault: { kind: 'silence', after: 'first-event' } },
    ),
  });
  const { sessionId, end } = await say('Go');
  await scene.gateway.received(3);
  await whenTrue(() => {
    clock.advance(1_000);
    return resultsOf(scene, sessionId).length === 1;
  });
  await end;
  const [{ sessionId: child } = { sessionId }] = started(sessionId);
  expect(eventsOf(scene, child, 'turn.finished')).toMatchObject([{ outcome: 'interrupted' }]);
  expect(resultsOf(scene, sessionId)[0]?.[1]).toMatch(
    new RegExp(
      `^sub-agent "stalls", ${child}: .*\\n.*said nothing for 30 s\\. What it had said last:\\nHalf of it is clear\\.`,
    ),
  );
});

test('one that works on and on is ended at its limit', async () => {
  const { say } = await open({
    config: { deadlines: { subagentMs: 60_000 } },
    player: crewPlayer([gives({ prompt: 'on and on', write: true })], () => ({
      calls: [{ name: 'shell', input: { command: 'sleep 50' } }],
    })),
  });
  const { sessionId, end } = await say('Go');
  await whenTrue(() => started(sessionId).length === 1);
  const [{ sessionId: child } = { sessionId }] = started(sessionId);
  await scene.until(child, 'toolCall.started');
  clock.advance(60_000);
  await whenTrue(() => {
    clock.advance(100);
    return resultsOf(scene, sessionId).length === 1;
  });
  await end;
  expect(resultsOf(scene, sessionId)[0]?.[1]).toContain('ended, because it ran for 1 min.');
});

test('complaints 2.1: a fan-out of twelve stops at eight, and the others are told so', async () => {
  const { say } = await open({
    player: crewPlayer([gives(...Array.from({ length: 12 }, (_, i) => ({ prompt: `task ${i}` })))], (task) => ({
      text: `did ${task}`,
    })),
  });
  const { sessionId, end } = await say('Go');
  await end;
  const shown = resultsOf(scene, sessionId).map(([, text]) => text);
  expect(started(sessionId)).toHaveLength(8);
  expect(shown.filter((text) => text.includes('did task'))).toHaveLength(8);
  expect(shown.filter((text) => text.startsWith('Not started: 8 sub-agents run at once at most.'))).toHaveLength(4);
});

test('a sub-agent has none of its own, unless the user allows it', async () => {
  const nested = crewPlayer([gives({ prompt: 'outer' })], (task, turn) =>
    task === 'outer' && turn === 0 ? gives({ prompt: 'inner' }) : { text: `${task} is done` },
  );
  const { say } = await open({ player: nested });
  const { sessionId, end } = await say('Go');
  await end;
  const [{ sessionId: child } = { sessionId }] = started(sessionId);
  expect(resultsOf(scene, child)).toEqual([
    ['failed', 'Not started: this session is a sub-agent itself and has none of its own. Do this work here.'],
  ]);
  await scene.close();
  await open({ player: nested, config: { subagents: { depth: 2 } } });
  const deeper = await scene.say('Go');
  await deeper.end;
  const [{ sessionId: middle } = { sessionId }] = started(deeper.sessionId);
  expect(resultsOf(scene, middle)[0]?.[1]).toContain('inner is done');
  expect(resultsOf(scene, deeper.sessionId)[0]?.[1]).toContain(': 3 requests');
});

test('an interrupt of the parent ends its sub-agents within a second', async () => {
  const { say, runner } = await open({
    player: crewPlayer([gives({ prompt: 'a', write: true }, { prompt: 'b' })], (task) =>
      task === 'a'
        ? { calls: [{ name: 'shell', input: { command: 'sleep 60' } }] }
        : { text: 'x', fault: { kind: 'silence', after: 'first-event' } },
    ),
  });
  const { sessionId, end } = await say('Go');
  await whenTrue(() => started(sessionId).length === 2);
  await whenTrue(() => scene.gateway.requests.length === 3);
  const interrupted = runner.interrupt(sessionId);
  // No more time than this passes until all have ended.
  for (let ms = 0; ms < 1_000; ms += 50) {
    clock.advance(50);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(await interrupted).toBe(true);
  expect(await end).toMatchObject({ outcome: 'interrupted' });
  await whenTrue(() => runner.runningTurns() === 0);
  for (const { sessionId: child } of started(sessionId))
    expect(eventsOf(scene, child, 'turn.finished')).toMatchObject([{ outcome: 'interrupted' }]);
});

test('what a sub-agent asks is seen from its parent, answered in its own session, and denied when nobody is there', async () => {
  const player = crewPlayer([gives({ prompt: 'change', write: true })], (_task, turn) =>
    turn === 0 ? { calls: [{ name: 'write', input: { path: 'n.txt', content: 'new' } }] } : { text: 'wrote it' },
  );
  const { runner, say } = await open({ player });
  const { sessionId } = await runner.createSession({ env: scene.env, mode: 'ask', trust: true });
  const { end } = await say('Go', { sessionId });
  await whenTrue(() => runner.pendingApprovals(sessionId).length === 1);
  const [pending] = runner.pendingApprovals(sessionId);
  const [{ sessionId: child } = { sessionId }] = started(sessionId);
  expect(pending).toMatchObject({ sessionId: child, tool: 'write' });
  await runner.answer({
    sessionId: child,
    approvalId: pending?.approvalId ?? ('' as never),
    digest: pending?.digest ?? '',
    decision: 'granted',
  });
  await end;
  expect(resultsOf(scene, child)[0]?.[0]).toBe('ok');
  expect(runner.pendingApprovals(sessionId)).toEqual([]);
  await scene.close();

  await open({ player });
  const alone = await scene.runner.createSession({ env: scene.env, mode: 'ask', trust: true });
  await (await scene.say('Go', { sessionId: alone.sessionId, headless: true })).end;
  expect(resultsOf(scene, alone.sessionId)[0]?.[1]).toContain('stopped, because nobody could be asked: write');
});

test('whoever narrows the parent narrows what works for it', async () => {
  const { say, runner } = await open({
    player: crewPlayer([gives({ prompt: 'wait', write: true })], () => ({
      text: 'x',
      fault: { kind: 'silence', after: 'first-event' },
    })),
  });
  const { sessionId } = await say('Go');
  await whenTrue(() => scene.gateway.requests.length === 2);
  await runner.setMode(sessionId, 'read-only');
  const [{ sessionId: child } = { sessionId }] = started(sessionId);
  expect(eventsOf(scene, child, 'mode.changed')).toMatchObject([{ mode: 'read-only' }]);
  await runner.setMode(sessionId, 'full');
  expect(eventsOf(scene, child, 'mode.changed')).toHaveLength(1);
  await runner.interrupt(sessionId);
});

test('P072: after a crash the parent is told how far each of its sub-agents had come, none of them runs on, and it goes on', async () => {
  const { say, restart, events, gateway } = await open({
    player: crewPlayer(
      [gives({ prompt: 'dig', title: 'dig' }, { prompt: 'look', title: 'look' }), { text: 'I go on by myself.' }],
      (task, turn) =>
        turn === 0 && task === 'dig'
          ? { text: 'The cause is in a.ts:3.', calls: [{ name: 'find', input: { pattern: '*' } }] }
          : { text: 'x', fault: { kind: 'silence', after: 'first-event' }, faultTimes: 99 },
    ),
  });
  const { sessionId } = await say('Go');
  await whenTrue(() => gateway.requests.length === 4);
  const children = started(sessionId).map((event) => event.sessionId);
  await restart();
  await scene.until(sessionId, 'turn.finished');
  const [{ archiveId: archived } = {}] = eventsOf(scene, children[0] ?? sessionId, 'toolCall.finished');
  expect(await scene.store.archive.locate(archived?.slice(0, 12) ?? '')).toBeDefined();
  const told = (title: string, child: SessionId | undefined) =>
    `Interrupted: the daemon stopped while the sub-agent "${title}" worked. What it did until then is kept in ${child}, and may have had an effect.`;
  expect(resultsOf(scene, sessionId)).toEqual([
    [
      'unknown',
      `${told('dig', children[0])} What it had said last:\nThe cause is in a.ts:3.\nIts results, to recall by id:\n- find *: 1 line, ${archived?.slice(0, 12)}`,
    ],
    ['unknown', told('look', children[1])],
  ]);
  for (const child of children)
    expect(events(child).at(-1)?.event).toMatchObject({ kind: 'turn.finished', outcome: 'interrupted' });
  expect(events(sessionId).at(-1)?.event).toMatchObject({ kind: 'turn.finished', outcome: 'done' });
});
