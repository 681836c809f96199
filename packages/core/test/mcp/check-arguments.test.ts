import { describe, expect, test } from '@jest/globals';
import { argumentProblems } from '@zerd/core/mcp/check-arguments';
import type { JsonObject } from '@zerd/protocol/common/json';

function check(schema: JsonObject, input: JsonObject, expected: readonly string[]): void {
  expect(argumentProblems(schema, input)).toEqual(expected);
}

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: 'object', properties, ...more });
const string = { type: 'string' };

test('what is missing, unknown or of another type is named with its place', () => {
  const issue = object(
    { title: string, count: { type: 'integer' }, tags: { type: 'array', items: string } },
    { required: ['title'], additionalProperties: false },
  );
  check(issue, { title: 'x', tags: [] }, []);
  check(issue, { count: 1.5, tags: ['a', 2], colour: 'red' }, [
    'title: Invalid input: expected string, received undefined',
    'count: Invalid input: expected int, received number',
    'tags.1: Invalid input: expected string, received number',
    'Unrecognized key: "colour"',
  ]);
  check(object({ state: { enum: ['open', 'closed'] } }), { state: 'shut' }, [
    'state: Invalid option: expected one of "open"|"closed"',
  ]);
});

test('references are followed, also those of an older dialect that is not named', () => {
  const kinds = { kind: { enum: ['a', 'b'] } };
  check(object({ x: { $ref: '#/$defs/kind' } }, { $defs: kinds }), { x: 'c' }, [
    'x: Invalid option: expected one of "a"|"b"',
  ]);
  check(object({ x: { $ref: '#/definitions/kind' } }, { definitions: kinds }), { x: 'c' }, [
    'x: Invalid option: expected one of "a"|"b"',
  ]);
});

test('what may be null may be null, however a schema says so', () => {
  for (const nothing of [
    { type: ['string', 'null'] },
    { anyOf: [string, { type: 'null' }] },
    { type: 'string', nullable: true },
  ])
    check(object({ x: nothing }), { x: null }, []);
});

test('patterns, formats and conditions are the business of the server: none of them is run here', () => {
  check(object({ x: { type: 'string', pattern: '^(a+)+$', format: 'date' } }), { x: `${'a'.repeat(50_000)}!` }, []);
  check({ ...object({ x: string }), if: { required: ['x'] }, not: { required: ['z'] } }, { x: 'a' }, []);
  check({ type: 'object', patternProperties: { '^x': string }, additionalProperties: false }, { x1: 'a', y: 1 }, []);
});

test('a parameter may have the name of a keyword', () => {
  const words = object({ format: string, pattern: string, not: { type: 'integer' } }, { required: ['format'] });
  check(words, { format: 'png', pattern: 'x', not: 1 }, []);
  check(words, { pattern: 1 }, [
    'format: Invalid input: expected string, received undefined',
    'pattern: Invalid input: expected string, received number',
  ]);
});

test('a schema that cannot be read refuses nothing', () => {
  for (const odd of [
    { $ref: '#/nowhere' },
    { type: 'nonsense' },
    { properties: 3 },
    { allOf: 'x' },
    { type: 'object', properties: { x: 1 } },
    {},
  ])
    check(odd as JsonObject, { anything: [1] }, []);
});

test('many problems are bounded', () => {
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`p${i}`, string]));
  expect(argumentProblems(object(many, { required: Object.keys(many) }), {})).toHaveLength(5);
});

describe('I8: a schema that would keep the checker busy for ever is left to its server', () => {
  const powers = (levels: number) =>
    Object.fromEntries([
      ...Array.from({ length: levels }, (_, n) => {
        const next = { $ref: `#/definitions/d${n + 1}` };
        return [`d${n}`, { anyOf: [next, next] }] as const;
      }),
      [`d${levels}`, { type: 'number' }] as const,
    ]);
  const a = (definition: string) => ({ a: { $ref: `#/definitions/${definition}` } });
  const tree = { type: 'object', properties: { next: { $ref: '#' }, n: { type: 'number' } } };
  test.each([
    [{ type: 'object', properties: a('d0'), definitions: powers(200) }, { a: 'x' }, 0],
    [{ type: 'object', properties: a('d0'), definitions: powers(3) }, { a: 'x' }, 1],
    [{ type: 'object', allOf: [{ $ref: '#' }] }, {}, 0],
    [{ type: 'object', anyOf: [{ $ref: '#' }, { $ref: '#' }] }, {}, 0],
    [tree, { next: { next: { n: 'x' } } }, 1],
  ])('%j', (schema, input, problems) => {
    expect(argumentProblems(schema as JsonObject, input as JsonObject)).toHaveLength(problems);
  });
});
