import { expect, test } from '@jest/globals';
import { requireFitting } from '../../src/config/unfit-key.ts';

test('a key that a request can carry is taken', () => {
  for (const key of ['sk-ant-api03-abc_DEF', 'a b', 'kéy', 'x'.repeat(10_000)])
    expect(() => requireFitting('lab/m', key, 'LAB_KEY')).not.toThrow();
});

const unfit: readonly (readonly [key: string, holds: string])[] = [
  ['sk-first\nsk-second', 'a line break'],
  ['sk-first\r', 'a line break'],
  ['sk-ant…def', 'a character that no header can carry, as an ellipsis'],
  ['sk-\u0007', 'a character that no header can carry, as an ellipsis'],
  ['sk-\0', 'a character that no header can carry, as an ellipsis'],
  ['sk-\u{1f511}', 'a character that no header can carry, as an ellipsis'],
];

for (const [key, holds] of unfit)
  test(`a key that holds ${JSON.stringify(key.slice(-2))} is blamed, by its place and untold`, () => {
    expect(() => requireFitting('lab/m', key, 'LAB_KEY')).toThrow(
      expect.objectContaining({
        code: 'key_missing',
        message: `The key of lab/m in LAB_KEY holds ${holds}: it was not copied as it is. Set it anew; nothing was sent.`,
      }),
    );
  });
