import { expect, test } from '@jest/globals';
import { isOpenModel, openModelRules } from '../../src/context/open-models.ts';

test.each([
  'qwen3-coder:30b',
  'Qwen/Qwen3.8-Max',
  'zai-org/GLM-5.3',
  'mistralai/Devstral-2',
  'deepseek-v4-pro',
  'moonshotai/kimi-k3',
  'MiniMax-M2',
  'gemma4:27b',
  'openai/gpt-oss-120b',
  'meta-llama/Llama-3.3-70B',
  'codellama',
  'hf.co/unsloth/NVIDIA-Nemotron-3',
])('%s is an open model over chat alone', (id) => {
  expect([isOpenModel('chat', id), isOpenModel('anthropic', id), isOpenModel('responses', id)]).toEqual([
    true,
    false,
    false,
  ]);
});

test.each(['sim', 'gpt-5.5', 'claude-opus-5-5', 'gemini-4-neon', 'grok-4.7', 'some-model', 'fledgling', 'anglmodel'])(
  '%s is none',
  (id) => expect(isOpenModel('chat', id)).toBe(false),
);

test('the rules continue the list of the system text, a line each', () => {
  expect(
    openModelRules
      .split('\n')
      .slice(1)
      .every((line) => /^- [A-Z].*\.$/.test(line)),
  ).toBe(true);
});
