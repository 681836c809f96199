import { expect, test } from '@jest/globals';
import { candidatesOf } from '@zerd/core/search/candidates';
import {
  decodePostings,
  encodePostings,
  intersect,
  markedUnion,
  packPostings,
  union,
  unpackPostings,
} from '@zerd/core/search/postings';
import type { TrigramQuery } from '@zerd/core/search/trigram-query';
import fc from 'fast-check';

const list = fc.uniqueArray(fc.nat({ max: 2 ** 31 })).map((numbers) => Uint32Array.from(numbers).sort());
const short = fc.uniqueArray(fc.nat({ max: 40 })).map((numbers) => Uint32Array.from(numbers).sort());

test('a list of numbers is read as it was written', () => {
  fc.assert(fc.property(list, (numbers) => expect([...decodePostings(encodePostings(numbers))]).toEqual([...numbers])));
});

test('a packed list is read as it was written, and takes less where distances are short', () => {
  const packed = (numbers: Uint32Array) => {
    const bytes = new Uint8Array(6 * numbers.length + 1);
    return bytes.subarray(0, packPostings(numbers, numbers.length, bytes, 0));
  };
  fc.assert(
    fc.property(list, (numbers) => {
      const bytes = packed(numbers);
      const read = new Uint32Array(2 * bytes.length);
      expect([...read.subarray(0, unpackPostings(bytes, read))]).toEqual([...numbers]);
    }),
  );
  expect(packed(Uint32Array.from([0, 1, 2, 9])).length).toBe(2);
  expect(packed(Uint32Array.from([0, 1, 2, 10])).length).toBe(3);
});

test('intersection and union are those of sets', () => {
  fc.assert(
    fc.property(short, short, (a, b) => {
      const [left, right] = [new Set(a), new Set(b)];
      expect([...intersect(a, b)]).toEqual([...a].filter((n) => right.has(n)));
      expect([...union(a, b)]).toEqual([...new Set([...left, ...right])].sort((x, y) => x - y));
    }),
  );
});

test('a marked union is the union, and says of each number which lists hold it', () => {
  fc.assert(
    fc.property(fc.array(short, { maxLength: 16 }), (lists) => {
      const { numbers, marks } = markedUnion(lists);
      const all = [...new Set(lists.flatMap((one) => [...one]))].sort((a, b) => a - b);
      expect([...numbers]).toEqual(all);
      const holds = (number: number) => lists.reduce((sum, one, n) => sum + (one.includes(number) ? 2 ** n : 0), 0);
      expect([...marks]).toEqual(all.map(holds));
    }),
  );
});

test('candidates hold every document that fits the query', () => {
  const leaf = fc
    .uniqueArray(fc.nat({ max: 5 }), { minLength: 1 })
    .map((keys): TrigramQuery => ({ kind: 'and', keys, parts: [] }));
  const query = fc.oneof(
    leaf,
    fc.array(leaf, { minLength: 2, maxLength: 3 }).map((parts): TrigramQuery => ({ kind: 'or', parts })),
    fc
      .tuple(leaf, leaf)
      .map(([a, b]): TrigramQuery => ({ kind: 'and', keys: a.kind === 'and' ? a.keys : [], parts: [b] })),
  );
  fc.assert(
    fc.property(fc.array(short, { minLength: 6, maxLength: 6 }), query, (lists, wanted) => {
      const read = (key: number) => lists[key] ?? new Uint32Array(0);
      const found = candidatesOf(wanted, { read, size: (key) => read(key).length });
      const all = Array.from({ length: 41 }, (_, doc) => doc).filter((doc) =>
        fits(wanted, (key) => read(key).includes(doc)),
      );
      expect(all.every((doc) => found === undefined || found.includes(doc))).toBe(true);
    }),
  );
});

function fits(query: TrigramQuery, has: (key: number) => boolean): boolean {
  if (query.kind === 'or') return query.parts.some((part) => fits(part, has));
  if (query.kind === 'and') return query.keys.every(has) && query.parts.every((part) => fits(part, has));
  return query.kind === 'all';
}
