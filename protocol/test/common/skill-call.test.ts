import { expect, test } from '@jest/globals';
import { commandIn, skillCall } from '@zerd/protocol/common/skill-call';

const skills = [{ name: 'tidy', path: '.zerd/skills/tidy/SKILL.md' }];

test.each([
  ['/tidy', 'Use the skill tidy (.zerd/skills/tidy/SKILL.md).'],
  ['/tidy the tests\nand the docs ', 'Use the skill tidy (.zerd/skills/tidy/SKILL.md): the tests\nand the docs'],
  ['/tidyup', undefined],
  ['/tidy/x', undefined],
  ['tidy', undefined],
  ['//tidy', undefined],
])('%j calls a skill as %j', (text, expected) => {
  const typed = commandIn(text);
  expect(typed && skillCall(typed, skills)).toBe(expected);
});
