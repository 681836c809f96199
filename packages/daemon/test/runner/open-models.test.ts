import { afterEach, expect, test } from '@jest/globals';
import { openModelRules } from '@zerd/core/context/open-models';
import { systemPrompt } from '@zerd/core/context/system-prompt';
import { only } from './compaction-scene.ts';
import { openScene, type Scene } from './harness.ts';

let scene: Scene;
afterEach(() => scene.close());

async function systemOf(wire: 'anthropic' | 'chat', model: string): Promise<string | undefined> {
  const config = { providers: { lab: { wire, baseUrl: 'http://127.0.0.1:9' } } };
  scene = await openScene({ config });
  const { sessionId } = await scene.runner.createSession({ env: scene.env, trust: true, model });
  return only(scene.events(sessionId), 'session.created')[0]?.system;
}

test.each([
  ['chat', 'lab/qwen3-coder:30b', systemPrompt + openModelRules],
  ['chat', 'lab/sim', systemPrompt],
  ['anthropic', 'lab/MiniMax-M2', systemPrompt],
] as const)('over %s a session with %s begins with its rules, frozen', async (wire, model, expected) => {
  expect(await systemOf(wire, model)).toBe(expected);
});
