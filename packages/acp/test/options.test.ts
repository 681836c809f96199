import { expect, test } from '@jest/globals';
import { commands, skillCommands } from '../src/options.ts';

test('an editor offers skills beside the commands, but for one that has the name of a command', () => {
  const skills = ['tidy', 'cost'].map((name) => ({ name, description: `How to ${name}.`, path: `${name}/SKILL.md` }));
  expect([...commands, ...skillCommands(skills)].map(({ name, description }) => `${name}: ${description}`)).toEqual([
    'compact: Sum up the older part of the conversation',
    'cost: What this session cost so far',
    'tidy: How to tidy.',
  ]);
});
