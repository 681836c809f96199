import { expect, test } from '@jest/globals';
import { env, mcpScene, said, testServer } from './mcp-scene.ts';

test("the user's own server may write a file of the workspace that its entry names: it stays what it is, and is not ended", async () => {
  await using scene = mcpScene();
  scene.write('data', '{}\n');
  scene.user = { test: { ...testServer(scene.notesFile), args: [...testServer(scene.notesFile).args, 'data'] } };
  await scene.mcp.learn(env, new AbortController().signal);
  scene.write('data', '{"changed": true}\n');
  expect(scene.mcp.servers()).toMatchObject([{ state: { kind: 'ready' } }]);
  expect(said(await scene.call('echo', { text: 'hello' }))).toEqual(['ok', 'hello']);
  expect(scene.notes().filter(({ started }) => started)).toHaveLength(1);
});
