import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import type { McpServer } from '@zerd/core/mcp/server';
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { SessionId } from '@zerd/protocol/common/ids';
import type { Mode } from '@zerd/protocol/common/mode';
import type { Step } from '@zerd/simulator/players/player';
import { anthropicBlocks, chatBlocks, responsesBlocks } from '@zerd/simulator/weigh/blocks';
import type { Json } from '@zerd/simulator/wire';
import { png } from '../../../../test/support/images.ts';
import { manualClock } from '../../../../test/support/manual-clock.ts';
import { ready } from '../../../../test/support/outside/declare.ts';
import { database, notebook } from '../../../../test/support/outside/notes-and-browser.ts';
import { fakeMcp, says } from '../support/fake-mcp.ts';
import { openScene, type Scene, type SceneWish } from './harness.ts';
import { crewPlayer, gives, resultsOf, whenTrue } from './subagent/crew.ts';

let scene: Scene;
async function open(wish: SceneWish): Promise<Scene> {
  scene = await openScene(wish);
  return scene;
}
afterEach(() => scene.close());

const calls = (...inputs: readonly unknown[]): Step => ({ calls: inputs.map((input) => ({ name: 'mcp', input })) });
const move = { tool: 'notebook/move_note', arguments: { noteId: 'n1', notebook: 'b2' } };
const failed = (name: string): McpServer => ({ name, state: { kind: 'failed', why: 'connection refused' } });
const unknown = (name: string): McpServer => ({ name, state: { kind: 'unknown' } });
const eventsOf = <K extends SessionEvent['kind']>(sessionId: SessionId, kind: K) =>
  scene
    .events(sessionId)
    .flatMap(({ event }) => (event.kind === kind ? [event as Extract<SessionEvent, { kind: K }>] : []));
const told = (sessionId: SessionId) => eventsOf(sessionId, 'reminder.added').map(({ text }) => text);

async function sayMore(sessionId: SessionId, text = 'More'): Promise<void> {
  const before = eventsOf(sessionId, 'turn.finished').length;
  await scene.say(text, { sessionId });
  await whenTrue(() => eventsOf(sessionId, 'turn.finished').length > before);
}

const blocksOver = { anthropic: anthropicBlocks, responses: responsesBlocks, chat: chatBlocks };

/** The blocks of each request, cache marks aside, begin the next request. */
function expectOnlyGrows(wire: keyof typeof blocksOver = 'anthropic'): void {
  const requests = scene.gateway.requests.map(({ bodyText }) =>
    blocksOver[wire](JSON.parse(bodyText) as Json).map(({ text }) => text),
  );
  for (const [at, now] of requests.entries()) {
    const before = requests[at - 1] ?? [];
    expect(now.slice(0, before.length)).toEqual(before);
  }
}

test.each(['anthropic', 'responses', 'chat'] as const)(
  'I3, complaints 2.1: over %s what was sent begins what is sent, whatever becomes of the servers: connected, changed, failed, gone, a new daemon',
  async (wire) => {
    const mcp = fakeMcp([ready('notebook', []), unknown('late')]);
    const text = { text: 'Yes.' };
    const { say, gateway, restart } = await open({
      wire,
      mcp,
      steps: [calls(move), ...Array.from({ length: 8 }, () => text)],
    });
    mcp.set(notebook, unknown('late'));
    const { sessionId, end } = await say('Go');
    await end;
    const states: readonly (readonly McpServer[])[] = [
      [notebook, database],
      [ready('notebook', (notebook.state.kind === 'ready' ? notebook.state.tools : []).slice(1)), database],
      [failed('notebook'), database],
      [database],
      [notebook, database],
    ];
    for (const servers of states) {
      mcp.set(...servers);
      await sayMore(sessionId);
    }
    mcp.set(unknown('notebook'), unknown('database'));
    await restart();
    await sayMore(sessionId);
    expectOnlyGrows(wire);
    expect(told(sessionId).map((one) => one.split('\n').slice(0, 2).join(' / '))).toEqual([
      expect.stringMatching(/^Outside tools, called as mcp .* \/ notebook:$/),
      'What is known of outside tools has changed. / database:',
      'What is known of outside tools has changed. / notebook has no more: search_notes',
      'What is known of outside tools has changed. / notebook: cannot be used now: connection refused',
      'What is known of outside tools has changed. / notebook: is no longer there.',
      'What is known of outside tools has changed. / notebook is there again.',
    ]);
    expect(gateway.requests.every(({ refusal }) => refusal === null)).toBe(true);
  },
);

test('a session without a server that could be used is sent as if there were none, also when one comes later', async () => {
  const bodies: string[] = [];
  for (const mcp of [undefined, fakeMcp([]), fakeMcp([{ name: 'repo', state: { kind: 'unapproved' } }])]) {
    const { say, gateway } = await open({ ...(mcp && { mcp }), steps: [{ text: 'One.' }, { text: 'Two.' }] });
    const { sessionId, end } = await say('Go');
    await end;
    mcp?.set(notebook);
    await sayMore(sessionId);
    bodies.push(gateway.requests.map(({ bodyText }) => bodyText.replaceAll(scene.folder, '')).join('\n'));
    await scene.close();
  }
  expect(bodies[0]).not.toContain('mcp');
  expect(new Set(bodies).size).toBe(1);
});

test('trust for one run starts no server: such a session has no tool for them (I7)', async () => {
  const { runner, gateway } = await open({ mcp: fakeMcp([notebook]), steps: [{ text: 'One.' }] });
  rmSync(join(scene.folder, 'trusted'));
  const { sessionId } = await runner.createSession({ env: scene.env, mode: 'full', trust: true });
  await (await scene.say('Go', { sessionId })).end;
  expect(gateway.requests[0]?.bodyText).not.toContain('mcp');
});

test('a server that failed is tried again once a turn, and nobody waits for that', async () => {
  const mcp = fakeMcp([failed('notebook')], undefined, () => new Promise(() => {}));
  const { say } = await open({
    mcp,
    clock: manualClock(),
    steps: [calls({ find: 'x' }), { text: 'One.' }, { text: 'Two.' }],
  });
  const { sessionId, end } = await say('Go');
  await end;
  expect(mcp.learnt()).toBe(1);
  mcp.set(notebook);
  await sayMore(sessionId);
  expect(mcp.learnt()).toBe(1);
  expect(told(sessionId)).toEqual([
    expect.stringContaining('\nnotebook: cannot be used now: connection refused'),
    expect.stringMatching(/has changed\.\nnotebook:\nsearch_notes/),
  ]);
});

test('F-13: what fits reaches its server as it was asked, what does not is refused with the schema, and one try teaches', async () => {
  const mcp = fakeMcp([notebook, { name: 'repo', state: { kind: 'unapproved' } }], () => says('moved'));
  const { say } = await open({
    mcp,
    steps: [
      calls({ tool: 'notebook/move_note', arguments: { noteId: 'n1', to: 'b2' } }, move),
      calls({ tool: 'notes/move' }, { tool: 'repo/x' }, {}, { find: 'move' }, { find: 'zzz' }),
      { text: 'Done.' },
    ],
  });
  const { sessionId, end } = await say('Go');
  await end;
  expect(resultsOf(scene, sessionId)).toEqual([
    [
      'failed',
      expect.stringMatching(
        /^Not called: the arguments of notebook\/move_note do not fit: notebook: .*Unrecognized key: "to". Its schema: {"type":"object",.*}$/,
      ),
    ],
    ['ok', 'moved'],
    [
      'failed',
      'Not called: there is no server "notes". Servers: notebook, repo (unapproved). Near it: notebook/move_note.',
    ],
    ['failed', 'Not called: the user has not approved the server repo. Ask for it: `zerd mcp approve repo`.'],
    ['failed', 'Not called: say which `tool` with its `arguments`, or what to `find`.'],
    ['ok', expect.stringMatching(/^notebook\/move_note\nMoves a note to another notebook and keeps its id\.\n{/)],
    [
      'failed',
      'No outside tool fits "zzz". Servers: notebook: 10 tools; repo: the user has to run `zerd mcp approve repo`.',
    ],
  ]);
  expect(mcp.calls).toMatchObject([
    { server: 'notebook', tool: 'move_note', arguments: { noteId: 'n1', notebook: 'b2' }, env: scene.env },
  ]);
});

test('a lookup by the name of a server tells what it says of itself, then its tools, within the cap', async () => {
  const tools = notebook.state.kind === 'ready' ? notebook.state.tools : [];
  const mcp = fakeMcp([
    { name: 'notebook', state: { kind: 'ready', tools, instructions: 'Search before you write.' } },
  ]);
  const { say } = await open({ mcp, steps: [calls({ find: 'notebook' }), { text: 'Done.' }] });
  const { sessionId, end } = await say('Go');
  await end;
  const [[outcome, shown] = []] = resultsOf(scene, sessionId);
  expect([outcome, shown]).toEqual([
    'ok',
    expect.stringMatching(/^notebook says: Search before you write\.\nnotebook\/search_notes\nSearches/),
  ]);
  expect(Buffer.byteLength(shown ?? '')).toBeLessThanOrEqual(4_000);
});

test('what comes back is admitted like other output: text joined, the rest named and kept, an error as a failure', async () => {
  const picture = new Uint8Array([137, 80, 78, 71]);
  const answers = [
    {
      outcome: 'ok' as const,
      content: [
        { kind: 'text' as const, text: `{"rows":"${'x'.repeat(900)}"}\u001b[31m` },
        { kind: 'binary' as const, type: 'image/png', bytes: picture },
        { kind: 'link' as const, uri: 'file:///n1.md', name: 'the note' },
      ],
    },
    { outcome: 'failed' as const, content: [{ kind: 'text' as const, text: 'no such note' }] },
    { outcome: 'failed' as const, content: [] },
    says(Array.from({ length: 2_000 }, (_, i) => `row ${i}`).join('\n')),
  ];
  const mcp = fakeMcp([notebook], () => answers.shift() ?? says(''));
  const { say, store } = await open({ mcp, steps: [calls(move, move, move, move), { text: 'Done.' }] });
  const { sessionId, end } = await say('Go');
  await end;
  const results = resultsOf(scene, sessionId);
  const [first = ''] = results.map(([, shown]) => shown);
  expect(first).toMatch(
    /^{"rows":"x{900}"}\n\[image\/png, 4 bytes, kept as [0-9a-f]{12}\]\n\[link the note: file:\/\/\/n1\.md\]$/,
  );
  const kept = await store.archive.locate(/kept as (\w+)/.exec(first)?.[1] ?? '');
  expect([...readFileSync(kept?.file ?? '')]).toEqual([...picture]);
  expect(results.slice(1, 3)).toEqual([
    ['failed', 'no such note'],
    ['failed', 'The tool failed and said nothing.'],
  ]);
  expect(results[3]?.[1]).toMatch(/row 0\n[\s\S]* left out: recall {"id":"[0-9a-f]{12}"[\s\S]*row 1999$/);
  expect(Buffer.byteLength(results[3]?.[1] ?? '')).toBeLessThan(4_300);
});

test.each<[Mode, readonly string[]]>([
  ['read-only', ['denied', 'ok']],
  ['ask', ['ok', 'ok']],
  ['edit', ['ok', 'ok']],
  ['full', ['ok', 'ok']],
])('in mode %s a call is denied, asked or made, and looking up is free', async (mode, outcomes) => {
  const mcp = fakeMcp([notebook]);
  const { runner, until } = await open({ mcp, steps: [calls(move, { find: 'move' }), { text: 'Done.' }] });
  const { sessionId } = await runner.createSession({ env: scene.env, mode, trust: true });
  const { end } = await scene.say('Go', { sessionId });
  if (mode === 'ask' || mode === 'edit') {
    const { approvalId, digest, asks } = await until(sessionId, 'approval.requested');
    expect(asks).toBe('outside tool notebook/move_note\n{\n  "noteId": "n1",\n  "notebook": "b2"\n}');
    expect(mcp.calls).toEqual([]);
    await runner.answer({ sessionId, approvalId, digest, decision: 'granted' });
  }
  await end;
  expect(resultsOf(scene, sessionId).map(([outcome]) => outcome)).toEqual(outcomes);
  expect(mcp.calls).toHaveLength(mode === 'read-only' ? 0 : 1);
});

test('R-13: an interrupt settles a call at once whose server never answers', async () => {
  const mcp = fakeMcp([notebook], () => new Promise(() => {}));
  const { say, runner } = await open({ mcp, clock: manualClock(), steps: [calls(move)] });
  const { sessionId, end } = await say('Go');
  await whenTrue(() => mcp.calls.length === 1);
  expect(await runner.interrupt(sessionId)).toBe(true);
  expect(await end).toMatchObject({ outcome: 'interrupted' });
  expect(resultsOf(scene, sessionId)).toEqual([
    ['interrupted', 'notebook/move_note: interrupted. It may have had an effect.'],
  ]);
  expect(mcp.calls[0]?.signal.aborted).toBe(true);
});

test('I8: a call is shown by its name and given up when it makes no progress; progress begins its time anew', async () => {
  const clock = manualClock();
  const mcp = fakeMcp([notebook], () => new Promise(() => {}));
  const { say, runner } = await open({
    mcp,
    clock,
    config: { deadlines: { toolMs: 5_000 } },
    steps: [calls(move), { text: 'Done.' }],
  });
  const { sessionId, end } = await say('Go');
  await whenTrue(() => mcp.calls.length === 1);
  const leftMs = () => runner.waits().map(({ for: name, deadlineAt = 0 }) => [name, deadlineAt - clock.wall()]);
  clock.advance(4_000);
  expect(leftMs()).toEqual([['tool notebook/move_note', 1_000]]);
  mcp.calls[0]?.onProgress?.('half of it');
  expect(leftMs()).toEqual([['tool notebook/move_note', 5_000]]);
  clock.advance(4_999);
  expect(resultsOf(scene, sessionId)).toEqual([]);
  clock.advance(1);
  expect(await end).toMatchObject({ outcome: 'done' });
  expect(resultsOf(scene, sessionId)).toEqual([
    ['unknown', expect.stringContaining('mcp made no progress for 5 s and was given up')],
  ]);
});

test('I8: only the first request waits for servers of which nothing is known, in sight and for 5 s at most', async () => {
  const clock = manualClock();
  const mcp = fakeMcp([unknown('slow'), notebook], undefined, () => new Promise(() => {}));
  const { say, runner, gateway } = await open({ mcp, clock, steps: [{ text: 'One.' }, { text: 'Two.' }] });
  const { sessionId, end } = await say('Go');
  await whenTrue(() => runner.waits().length === 1);
  const [wait] = runner.waits();
  expect([wait?.for, (wait?.deadlineAt ?? 0) - (wait?.sinceAt ?? 0)]).toEqual(['outside tools: slow', 5_000]);
  clock.advance(4_999);
  expect(gateway.requests).toHaveLength(0);
  clock.advance(1);
  await end;
  expect(told(sessionId)).toEqual([
    expect.stringMatching(/\nslow: not connected yet; its tools are told when it is\.\nnotebook:\n/),
  ]);
  mcp.set(database, notebook);
  await sayMore(sessionId);
  expect(told(sessionId)).toHaveLength(2);
  expectOnlyGrows();
});

test('a server that is known in time is waited for no longer, and creating a session waits for none', async () => {
  let connect = () => {};
  const connected = new Promise<void>((resolve) => {
    connect = resolve;
  });
  const mcp = fakeMcp([unknown('notebook')], undefined, () => connected);
  const { runner, until } = await open({ mcp, clock: manualClock(), steps: [{ text: 'One.' }] });
  const { sessionId } = await runner.createSession({ env: scene.env, mode: 'full', trust: true });
  expect(mcp.learnt()).toBe(0);
  await scene.say('Go', { sessionId });
  await whenTrue(() => runner.waits().length === 1);
  mcp.set(notebook);
  connect();
  expect(await until(sessionId, 'turn.finished')).toMatchObject({ outcome: 'done' });
  expect(told(sessionId)).toEqual([expect.stringContaining('\nmove_note(noteId, notebook): Moves a note')]);
});

test('an interrupt ends the wait for servers', async () => {
  const mcp = fakeMcp([unknown('slow')], undefined, () => new Promise(() => {}));
  const { say, runner, gateway } = await open({ mcp, clock: manualClock(), steps: [] });
  const { sessionId, end } = await say('Go');
  await whenTrue(() => runner.waits().length === 1);
  await runner.interrupt(sessionId);
  expect(await end).toMatchObject({ outcome: 'interrupted' });
  expect([gateway.requests.length, told(sessionId).length]).toEqual([0, 0]);
});

test('I9: a call that had begun when the daemon died is unknown, and never made again', async () => {
  const mcp = fakeMcp([notebook], () => new Promise(() => {}));
  const { say, restart, until } = await open({ mcp, steps: [calls(move), { text: 'Done.' }] });
  const { sessionId } = await say('Go');
  await whenTrue(() => mcp.calls.length === 1);
  await restart();
  await until(sessionId, 'turn.finished');
  expect(resultsOf(scene, sessionId)).toEqual([['unknown', expect.stringContaining('nterrupted, result unknown')]]);
  expect(mcp.calls).toHaveLength(1);
  expectOnlyGrows();
});

test("a sub-agent has its parent's tool, may call it as its own mode allows, and is told of the servers", async () => {
  const mcp = fakeMcp([notebook]);
  const crew = (_task: string, turn: number): Step => (turn === 0 ? calls(move) : { text: 'Moved or not.' });
  const lead = [gives({ prompt: 'Move it', write: true }, { prompt: 'Look at it' }), { text: 'Done.' }];
  const { say, rows, gateway } = await open({ mcp, player: crewPlayer(lead, crew) });
  const { sessionId, end } = await say('Go');
  await end;
  const children = rows().filter((row) => row.sessionId !== sessionId);
  expect(children).toHaveLength(2);
  const outcomes = children.flatMap((row) => resultsOf(scene, row.sessionId).map(([outcome]) => outcome));
  expect(outcomes.toSorted()).toEqual(['denied', 'ok']);
  for (const row of children) expect(told(row.sessionId)).toHaveLength(1);
  const toolBlocks = gateway.requests.map(({ bodyText }) =>
    JSON.stringify((JSON.parse(bodyText) as { tools: unknown }).tools),
  );
  expect(new Set(toolBlocks).size).toBe(1);
  expect(mcp.calls).toHaveLength(1);
});

test('an image that an outside tool answers with twice is shown once to a model that sees, and named with a failure', async () => {
  const picture = png(120, 90);
  const part = { kind: 'binary' as const, type: 'image/png', bytes: new Uint8Array(picture) };
  const answers = [
    { outcome: 'ok' as const, content: [{ kind: 'text' as const, text: 'the page' }, part, part] },
    { outcome: 'failed' as const, content: [{ kind: 'text' as const, text: 'no page' }, part] },
  ];
  const mcp = fakeMcp([notebook], () => answers.shift() ?? says(''));
  const { say, gateway } = await open({
    mcp,
    modelFacts: { images: true },
    steps: [calls(move, move), { text: 'Done.' }],
  });
  const { sessionId, end } = await say('Go');
  await end;
  expect(gateway.requests.map(({ refusal }) => refusal)).toEqual([null, null]);
  const parts = gateway.requests[1]?.conversation.messages.flatMap((message) => message.parts) ?? [];
  expect(parts.flatMap((one) => (one.kind === 'image' ? [one.data] : []))).toEqual([picture.toString('base64')]);
  const finished = scene.events(sessionId).flatMap(({ event }) => (event.kind === 'toolCall.finished' ? [event] : []));
  expect(finished.map(({ outcome, images }) => [outcome, images?.map(({ name, width }) => [name, width])])).toEqual([
    ['ok', [['notebook/move_note', 120]]],
    ['failed', undefined],
  ]);
});
