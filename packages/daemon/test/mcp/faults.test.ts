/** What servers do wrong. Time is the test's: no deadline is waited for. */
import { afterAll, expect, test } from '@jest/globals';
import type { McpState } from '@zerd/core/mcp/server';
import { processesWith } from '../../../../test/support/left-alive.ts';
import { manualClock } from '../../../../test/support/manual-clock.ts';
import { env, mcpScene, type Scene, said, testServer, ticking, until } from './mcp-scene.ts';

const nobody = new AbortController().signal;
const started: Scene[] = [];

/** A scene with the test server, which does as it is told. */
function sceneOf(does: readonly string[], variables: Readonly<Record<string, string>> = {}): Scene & { clock: Manual } {
  const clock = manualClock();
  const scene = mcpScene({ manual: clock });
  const server = testServer(scene.notesFile, ...does);
  scene.user = { test: { ...server, env: { ...server.env, ...variables } } };
  started.push(scene);
  return Object.assign(scene, { clock });
}

type Manual = ReturnType<typeof manualClock>;

afterAll(() => {
  // Everything of a scene carries the path of its notes.
  expect(started.flatMap(({ notesFile }) => processesWith(notesFile))).toEqual([]);
});

const noted = (scene: Scene, method: string) => scene.notes().filter((note) => note.method === method).length;
const starts = (scene: Scene) => scene.notes().filter((note) => note.started !== undefined).length;

async function learnt(scene: Scene): Promise<McpState | undefined> {
  const [server] = await scene.mcp.learn(env, nobody);
  return server?.state;
}

test('a server that never introduces itself has failed after 30 s, with what it complained of', async () => {
  await using scene = sceneOf(['silent', 'complains'], { MCP_COMPLAINT_BYTES: '10' });
  const state = learnt(scene);
  await until(() => noted(scene, 'initialize') === 1 && scene.notes().some((note) => note.complained !== undefined));
  scene.clock.advance(29_999);
  expect(scene.mcp.list().servers[0]).toMatchObject({ connecting: true, connected: false });
  expect(scene.mcp.servers()[0]?.state).toEqual({ kind: 'unknown' });
  scene.clock.advance(1);
  expect(await state).toMatchObject({
    kind: 'failed',
    why: expect.stringMatching(/^it did not introduce itself within 30 s/),
  });
});

test('a server that never lists its tools has failed after 30 s more', async () => {
  await using scene = sceneOf(['silent-list']);
  const state = learnt(scene);
  await until(() => noted(scene, 'tools/list') === 1);
  scene.clock.advance(30_000);
  expect(await state).toEqual({ kind: 'failed', why: 'it did not list its tools within 30 s' });
});

test('S-64: a server that ends at once has failed with its own words, without what was filled in', async () => {
  await using scene = sceneOf(['fails'], { MCP_TOKEN: '${TOKEN}' });
  expect(await ticking(scene.clock, learnt(scene))).toEqual({
    kind: 'failed',
    why: 'it ended with status 3; it said: no database at [redacted]',
  });
  expect(scene.lines.join()).not.toContain(env.TOKEN);
  expect(JSON.stringify(scene.mcp.list())).not.toContain(env.TOKEN);
});

test('one that failed is tried again by itself after a minute, and at once by a call', async () => {
  await using scene = sceneOf(['fails']);
  await ticking(scene.clock, learnt(scene));
  await learnt(scene);
  expect(starts(scene)).toBe(1);
  expect((await ticking(scene.clock, scene.call('echo'))).outcome).toBe('failed');
  expect(starts(scene)).toBe(2);
  scene.clock.advance(60_000);
  await ticking(scene.clock, learnt(scene));
  expect(starts(scene)).toBe(3);
});

test('a program that is not there is named', async () => {
  await using scene = sceneOf([]);
  scene.user = { test: { command: 'no-such-program' } };
  expect(await learnt(scene)).toEqual({ kind: 'failed', why: 'there is no program "no-such-program" that may be run' });
});

test('a server that dies in the middle of a call leaves it unknown, and the next call starts it anew', async () => {
  await using scene = sceneOf([]);
  expect(said(await ticking(scene.clock, scene.call('die')))).toEqual([
    'unknown',
    'The tool die of test got no answer: it ended with status 7; it said: it hurts. Whether it took effect is not known, and it was not called again: look at what it was to change before you repeat it.',
  ]);
  expect(said(await ticking(scene.clock, scene.call('echo', { text: 'again' })))).toEqual(['ok', 'again']);
  expect(starts(scene)).toBe(2);
});

test('100 MB of complaints are read and dropped', async () => {
  await using scene = sceneOf(['complains']);
  await learnt(scene);
  await until(() => scene.notes().some((note) => note.complained === 100_000_000));
  expect(said(await scene.call('echo', { text: 'still here' }))).toEqual(['ok', 'still here']);
});

test('what is no message between messages is left out', async () => {
  await using scene = sceneOf(['greets']);
  expect(said(await scene.call('garbage'))).toEqual(['ok', 'after garbage']);
});

test('a message of more than 64 MiB ends the connection and is not kept', async () => {
  await using scene = sceneOf([]);
  const [outcome, words] = said(await ticking(scene.clock, scene.call('flood')));
  expect([outcome, words]).toEqual(['unknown', expect.stringContaining('it sent a message of more than 64 MiB')]);
});

test('S-63: ill-named and double tools are left out and named, and nothing hidden is in what is kept', async () => {
  await using scene = sceneOf(['odd-tools']);
  expect(await learnt(scene)).toEqual({
    kind: 'ready',
    instructions: 'Be nice.',
    tools: [
      { name: 'echo', description: 'Says it again.', inputSchema: expect.anything() },
      { name: 'fine/name.v2', description: 'The tool fine/name.v2.', inputSchema: expect.anything() },
    ],
  });
  expect(scene.mcp.list().servers[0]?.leftOut).toHaveLength(7);
  expect(said(await scene.call('two words'))).toEqual([
    'failed',
    'The tool two words of test was not called. test has no such tool. It has: echo, fine/name.v2.',
  ]);
});

test('a server that tells of another list is asked for it', async () => {
  await using scene = sceneOf([]);
  await scene.call('grow');
  const names = () => {
    const state = scene.mcp.servers()[0]?.state;
    return state?.kind === 'ready' ? state.tools.map(({ name }) => name) : [];
  };
  await until(() => names().includes('grown'));
});

test('a call without progress is given up after 60 s, and one with progress after 10 minutes', async () => {
  await using scene = sceneOf([]);
  const quiet = scene.call('wait');
  await until(() => noted(scene, 'tools/call') === 1);
  scene.clock.advance(60_000);
  expect(said(await quiet)).toEqual([
    'unknown',
    expect.stringContaining('gave no answer for 60 s and told of no progress, and was told to stop.'),
  ]);
  await until(() => noted(scene, 'notifications/cancelled') === 1);

  const heard: string[] = [];
  const onProgress = (says: string) => void heard.push(says);
  const busy = scene.call('wait', { steps: 1 }, { onProgress });
  await until(() => heard.length === 1);
  scene.clock.advance(59_999);
  expect(heard).toEqual(['step 1']);
  scene.clock.advance(1);
  expect(said(await busy)[0]).toBe('unknown');
});

test('progress gives a call its time again, up to ten minutes in all', async () => {
  await using scene = sceneOf([]);
  let heard = 0;
  const busy = scene.call('wait', {}, { onProgress: () => void heard++ });
  await until(() => noted(scene, 'tools/call') === 1);
  for (let step = 1; step < 12; step += 1) {
    scene.clock.advance(50_000);
    process.kill(Number(scene.notes()[0]?.started), 'SIGUSR2');
    await until(() => heard === step);
  }
  scene.clock.advance(50_000);
  expect(said(await busy)).toEqual(['unknown', expect.stringContaining('gave no answer within 600 s in all')]);
});

test('an interrupted call settles at once, the server is told, and an answer after that is nobody’s', async () => {
  await using scene = sceneOf(['answers-late']);
  const stop = new AbortController();
  const call = scene.call('wait', {}, { signal: stop.signal });
  await until(() => noted(scene, 'tools/call') === 1);
  stop.abort();
  expect((await call).outcome).toBe('interrupted');
  await until(() => noted(scene, 'notifications/cancelled') === 1);
  expect(said(await scene.call('echo', { text: 'next' }))).toEqual(['ok', 'next']);
});

test('an interrupt while a server is being started settles at once, and the start goes on for others', async () => {
  await using scene = sceneOf(['silent']);
  const stop = new AbortController();
  const call = scene.call('echo', {}, { signal: stop.signal });
  await until(() => noted(scene, 'initialize') === 1);
  stop.abort();
  expect(said(await call)).toEqual(['interrupted', 'The tool echo of test was not called.']);
});

test('needs at the same time share one start', async () => {
  await using scene = sceneOf([]);
  const calls = [1, 2, 3].map((text) => scene.call('echo', { text }));
  expect((await Promise.all([learnt(scene), ...calls])).slice(1)).toHaveLength(3);
  expect(starts(scene)).toBe(1);
});

test('a server that nobody has called for ten minutes is ended, and started by the next call', async () => {
  await using scene = sceneOf([]);
  await scene.call('echo');
  scene.clock.advance(9 * 60_000);
  await scene.call('echo');
  scene.clock.advance(9 * 60_000);
  expect(scene.mcp.list().servers[0]?.connected).toBe(true);
  scene.clock.advance(60_000);
  expect(scene.mcp.list().servers[0]?.connected).toBe(false);
  await until(() => scene.notes().some((note) => note.ended !== undefined));
  await ticking(scene.clock, scene.call('echo'));
  expect(starts(scene)).toBe(2);
});

test('what ignores the end of its input and SIGTERM is killed, and what left its group goes with it', async () => {
  await using scene = sceneOf(['ignores-end', 'ignores-terms', 'grandchild']);
  await scene.call('echo');
  expect(processesWith(scene.notesFile)).toHaveLength(2);
  await ticking(scene.clock, scene.mcp.close());
  expect(processesWith(scene.notesFile)).toEqual([]);
});
