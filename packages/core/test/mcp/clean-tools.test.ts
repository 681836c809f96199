import { expect, test } from '@jest/globals';
import { cleanInstructions, cleanTools, mostTools } from '@zerd/core/mcp/clean-tools';

const schema = { type: 'object' };
const tool = (name: string, description = '', inputSchema: unknown = schema) => ({ name, description, inputSchema });

test('a tool is taken as it is, or left out and named', () => {
  const check = (listed: unknown, ...leftOut: readonly string[]) =>
    expect(cleanTools([listed])).toEqual({ tools: leftOut.length === 0 ? [listed] : [], leftOut });
  check(tool('a.b/c-D_9', 'Does.', { type: 'object', properties: { a: { type: 'string' } } }));
  check('a', 'one without a name');
  check({ name: 7 }, 'one without a name');
  check({ name: 'a' }, 'a has no schema of an object');
  check(tool('a', '', { type: 'string' }), 'a has no schema of an object');
  check(tool('a b'), '"a b" is no name of a tool: letters, digits, _ . / - , 128 at most');
  check(tool('a\u202e'), '"a\\\\u{202e}" is no name of a tool: letters, digits, _ . / - , 128 at most');
  check(tool(''), '"" is no name of a tool: letters, digits, _ . / - , 128 at most');
  check(tool('a', '', { ...schema, title: 'x'.repeat(33_000) }), 'a has a schema of more than 32768 characters');
  check(tool('a', '', { ...schema, enum: ['b\u{e0041}'] }), 'a has hidden characters in its schema');
});

test('S-63: what only explains loses what is hidden in it; emoji and their joiners stay', () => {
  const hidden = 'Re\u0007ad\u{e0041}\u{e0042} \u202eit\u200b.\n👩‍👩‍👧 🏴󠁧󠁢󠁥󠁮󠁧󠁿';
  const plain = 'Read it.\n👩‍👩‍👧 🏴󠁧󠁢󠁥󠁮󠁧󠁿';
  expect(cleanTools([tool('a', hidden, { ...schema, properties: { b: { description: hidden } } })]).tools).toEqual([
    tool('a', plain, { ...schema, properties: { b: { description: plain } } }),
  ]);
  expect(cleanInstructions(hidden)).toBe(plain);
  expect(cleanInstructions(undefined)).toBe('');
});

test('names are unique, long texts are cut, and there are no more than so many', () => {
  expect(cleanTools([tool('a', 'first'), tool('a', 'second')])).toEqual({
    tools: [tool('a', 'first')],
    leftOut: ['a is listed twice: the first counts'],
  });
  expect(cleanTools([tool('a', 'x'.repeat(9_000))]).tools[0]?.description).toBe(`${'x'.repeat(8_192)}…`);
  const many = cleanTools(Array.from({ length: mostTools + 30 }, (_, i) => tool(`t${i}`)));
  expect(many.tools).toHaveLength(mostTools);
  expect(many.leftOut).toHaveLength(21);
  expect(many.leftOut.at(-1)).toBe('and 10 more');
});

test('a schema that is nested without end costs its tool alone', () => {
  const deep: unknown = JSON.parse(`${'{"type":"object","items":'.repeat(20_000)}1${'}'.repeat(20_000)}`);
  const { tools, leftOut } = cleanTools([tool('a'), tool('b', '', deep)]);
  expect(tools).toEqual([tool('a')]);
  expect(leftOut).toHaveLength(1);
});
