import { expect, test } from '@jest/globals';
import { env, mcpScene, said, testServer } from './mcp-scene.ts';

const nobody = new AbortController().signal;

test('a server is started with its first need, named from then on without it, and answers calls', async () => {
  await using scene = mcpScene();
  scene.user = { test: testServer(scene.notesFile) };
  expect(scene.mcp.servers()).toEqual([{ name: 'test', state: { kind: 'unknown' } }]);
  expect(scene.notes()).toEqual([]);

  const [learnt] = await scene.mcp.learn(env, nobody);
  expect(learnt?.state).toMatchObject({ kind: 'ready', instructions: 'Use echo.' });
  expect(said(await scene.call('echo', { text: 'hello' }))).toEqual(['ok', 'hello']);
  expect(said(await scene.call('refuse'))).toEqual(['failed', 'It does not go.']);
  expect(await scene.call('picture')).toEqual({
    outcome: 'ok',
    content: [
      { kind: 'binary', type: 'image/png', bytes: Buffer.from('png') },
      { kind: 'link', uri: 'file:///a', name: 'a' },
      { kind: 'text', text: 'b' },
    ],
  });
  expect(scene.notes().filter(({ started }) => started)).toHaveLength(1);

  const next = scene.again();
  expect(next.servers()).toEqual([learnt]);
  expect(scene.notes().filter(({ started }) => started)).toHaveLength(1);
});
