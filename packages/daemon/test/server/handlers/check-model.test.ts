import { expect, test } from '@jest/globals';
import { checkModel } from '../../../src/server/handlers/check-model.ts';

const model = (id: string, ready: boolean) => ({
  id,
  ready,
  wire: 'chat' as const,
  contextWindow: null,
  priced: false,
});

function check(chosen: string | null, models: ReturnType<typeof model>[], expected: object): void {
  expect(checkModel({ file: '/c/config.json', model: chosen, models, warnings: [] })).toEqual(expected);
}

test('a model that is chosen and has its key is ready, which is not to say that it answers', () => {
  check('a/b', [model('a/b', true)], { ok: true, says: 'a/b is chosen; 1 model is ready. No provider was asked.' });
});

test('what is missing comes with what to do', () => {
  check(null, [model('a/b', false)], {
    ok: false,
    says: 'No model has its key.',
    todo: 'Set ANTHROPIC_API_KEY or OPENAI_API_KEY, run `zerd login`, or describe a provider in /c/config.json.',
  });
  check(null, [model('a/b', true), model('a/c', true)], {
    ok: false,
    says: 'No model is chosen.',
    todo: '"model": "a/b" in /c/config.json makes one the default.',
  });
  check('a/c', [model('a/b', true), model('a/c', false)], {
    ok: false,
    says: 'The key of a/c is missing.',
    todo: 'Set its variable, run `zerd login`, or: "model": "a/b" in /c/config.json makes one the default.',
  });
});
