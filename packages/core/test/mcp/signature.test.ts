import { expect, test } from '@jest/globals';
import { signatureOf } from '@zerd/core/mcp/signature';
import type { JsonObject } from '@zerd/protocol/common/json';
import fc from 'fast-check';

function check(properties: JsonObject, required: readonly string[], expected: string): void {
  expect(signatureOf({ name: 'f', inputSchema: { type: 'object', properties, required: [...required] } })).toBe(
    expected,
  );
}

const string = { type: 'string' };

test('what must be given comes first, a string has no type, and what may be left out has a question mark', () => {
  check(
    { body: string, title: string, labels: { type: 'array', items: string } },
    ['title'],
    'f(title, body?, labels?: string[])',
  );
  check({}, [], 'f()');
});

test('types are short: numbers, choices, values that may be null, objects one level deep', () => {
  check(
    { n: { type: 'integer' }, x: { type: 'number' }, b: { type: 'boolean' } },
    ['n'],
    'f(n: int, x?: number, b?: bool)',
  );
  check({ state: { enum: ['open', 'closed', 3] } }, [], 'f(state?: "open"|"closed"|3)');
  check(
    { a: { type: ['string', 'null'] }, b: { anyOf: [{ type: 'integer' }, { type: 'null' }] } },
    ['b'],
    'f(b: int, a?)',
  );
  check({ a: { type: ['string', 'number'] } }, ['a'], 'f(a: string|number)');
  check(
    { a: { const: 'x' }, b: {}, c: true, d: { $ref: '#/$defs/d' } },
    ['a', 'b', 'c', 'd'],
    'f(a: "x", b: any, c: any, d: any)',
  );
  const point = {
    type: 'object',
    properties: { x: { type: 'number' }, deep: { properties: { y: string } } },
    required: ['x'],
  };
  check(
    { p: point, all: { type: 'array', items: point } },
    ['p'],
    'f(p: {x: number, deep?: object}, all?: {x: number, deep?: object}[])',
  );
  check(
    { a: { type: 'array', items: { enum: ['p', 'q'] } }, o: { type: 'object' } },
    ['a', 'o'],
    'f(a: ("p"|"q")[], o: object)',
  );
});

test('a long line ends in an ellipsis, at a parameter, and the ones that must be given stand in it first', () => {
  const many = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`parameter${i}`, string]));
  const line = signatureOf({ name: 'f', inputSchema: { properties: many, required: ['parameter59'] } });
  expect(line).toMatch(/^f\(parameter59, parameter0\?, .*\?, …\)$/);
  expect(line.length).toBeLessThan(250);
});

test('S-63: names that are no plain words are quoted, and nothing in them hides or begins a line', () => {
  expect(signatureOf({ name: 'a\nb\u{e0041}c', inputSchema: { properties: { 'x\u202ey, z': string } } })).toBe(
    '"a b c"("x y, z"?)',
  );
});

test('any schema gives one line of bounded length, the same each time', () => {
  fc.assert(
    fc.property(
      fc.string(),
      fc.dictionary(fc.string(), fc.jsonValue()),
      fc.jsonValue(),
      (name, properties, required) => {
        const inputSchema = { type: 'object', properties, required } as JsonObject;
        const line = signatureOf({ name, inputSchema });
        expect(line).toBe(signatureOf({ name, inputSchema }));
        expect(line).not.toMatch(/[\n\r]/);
        expect(line.length).toBeLessThan(400);
      },
    ),
  );
});
