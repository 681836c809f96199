import { expect, test } from '@jest/globals';
import { env, mcpScene, said, testServer } from './mcp-scene.ts';

const nobody = new AbortController().signal;

function leaves() {
  let leave = () => {};
  const gone = new Promise<void>((resolve) => {
    leave = resolve;
  });
  return { gone, leave };
}

test('servers that a client lends are used while it is there, and end with it', async () => {
  await using scene = mcpScene();
  const client = leaves();
  expect(
    scene.mcp.lend({ test: testServer(scene.notesFile), odd: { type: 'sse', url: 'http://x' } }, client.gone),
  ).toEqual(['servers.odd is reached by the old SSE transport, which zerd does not speak: give its http address']);
  expect(scene.mcp.list().servers).toMatchObject([{ name: 'test', source: 'user', state: { kind: 'unknown' } }]);
  await scene.mcp.learn(env, nobody);
  expect(said(await scene.call('echo', { text: 'hello' }))).toEqual(['ok', 'hello']);
  client.leave();
  await client.gone;
  expect(scene.mcp.servers()).toEqual([]);
  expect(said(await scene.call('echo'))).toEqual(['failed', 'There is no MCP server "test". Nothing was called.']);
  // It is told to end: its input is closed.
  while (!scene.notes().some(({ ended }) => ended)) await new Promise((resolve) => setTimeout(resolve, 5));
});

test('what the configuration names goes before what is lent, and of two clients that lend the same one may leave', async () => {
  await using scene = mcpScene();
  const [one, other] = [leaves(), leaves()];
  for (const client of [one, other]) scene.mcp.lend({ test: testServer(scene.notesFile) }, client.gone);
  expect(scene.mcp.list().servers).toHaveLength(1);
  one.leave();
  await one.gone;
  expect(scene.mcp.servers()).toHaveLength(1);
  scene.user = { test: { command: 'mine' } };
  expect(scene.mcp.list().servers).toMatchObject([{ text: expect.stringContaining('mine') }]);
});

test('I7: what is lent is not started before trust either', async () => {
  await using scene = mcpScene({ trusted: false });
  scene.mcp.lend({ test: testServer(scene.notesFile) }, new Promise(() => {}));
  await scene.mcp.learn(env, nobody);
  expect(scene.notes()).toEqual([]);
});
