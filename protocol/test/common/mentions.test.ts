import { expect, test } from '@jest/globals';
import { mentionedPaths } from '@zerd/protocol/common/mentions';

test.each<[string, readonly string[]]>([
  ['What is wrong in @shot.png?', ['shot.png']],
  ['@a.png and @docs/b.jpg, then @a.png again', ['a.png', 'docs/b.jpg']],
  ['(see @docs/a.png) ["@b.gif"] `@c.webp`', ['docs/a.png', 'b.gif', 'c.webp']],
  ['@"with spaces.png" is it', ['with spaces.png']],
  ['mail me@example.com, an @ alone, @. and @@x', ['@x']],
  ['nothing here', []],
  [Array.from({ length: 60 }, (_, i) => `@${i}.png`).join(' '), Array.from({ length: 50 }, (_, i) => `${i}.png`)],
])('the paths that a text names: %j', (text, expected) => {
  expect(mentionedPaths(text)).toEqual(expected);
});

test('megabytes without a space behind an @ name nothing that could be there, and break nothing', () => {
  for (const text of [`@${'x'.repeat(5_000_000)}`, `@"${'x'.repeat(5_000_000)}`, '@"'.repeat(1_000_000)])
    for (const path of mentionedPaths(text)) expect(path.length).toBeLessThanOrEqual(1_000);
});
