import { expect, test } from '@jest/globals';
import { selectModel } from '../src/app/choices.ts';
import type { Desk } from '../src/app/desk.ts';

test('what is no model is refused before a session begins with it', async () => {
  const begun: object[] = [];
  const desk = { sessionId: undefined, begin: (wish: object) => void begun.push(wish) } as unknown as Desk;
  for (const word of ['openai', '/gpt', 'openai/'])
    await expect(selectModel(desk, word)).rejects.toThrow(
      `'${word}' is no model: name one as provider/model. /model lists them.`,
    );
  await selectModel(desk, 'openai/gpt');
  expect(begun).toEqual([{ model: 'openai/gpt' }]);
});
