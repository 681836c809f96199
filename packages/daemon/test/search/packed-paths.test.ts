import { expect, test } from '@jest/globals';
import { packPaths, pickPaths, sliceOfPaths, unpackPaths } from '@zerd/daemon/search/index/packed-paths';
import { keyOfBytes } from '@zerd/daemon/search/index/path-key';
import { sortListing } from '@zerd/daemon/search/index/sort-listing';
import fc from 'fast-check';

const key = fc
  .uint8Array({ minLength: 1, maxLength: 8 })
  .map((bytes) => keyOfBytes(Buffer.from(bytes.map((byte) => byte || 1))));
const keys = fc.array(fc.oneof(key, fc.constantFrom('a', 'src/ä.ts', 'a\nb')));

test('names come out of their bytes as they went in, also a part of them', () => {
  fc.assert(
    fc.property(keys, fc.nat(10), fc.nat(10), (paths, a, b) => {
      const [from, to] = [Math.min(a, b, paths.length), Math.min(Math.max(a, b), paths.length)];
      const packed = packPaths(paths);
      expect(unpackPaths(packed)).toEqual(paths);
      expect(unpackPaths(sliceOfPaths(packed, from, to))).toEqual(paths.slice(from, to));
      const even = paths.flatMap((_, n) => (n % 2 === 0 ? [n] : []));
      expect(unpackPaths(pickPaths(packed, Uint32Array.from(even)))).toEqual(even.map((n) => paths[n]));
    }),
  );
});

test('a part takes nothing else along to a thread', () => {
  const packed = packPaths(['one', 'two', 'three']);
  const { bytes, ends } = sliceOfPaths(packed, 1, 2);
  expect([packed.bytes.buffer.byteLength, bytes.buffer.byteLength, [...ends]]).toEqual([14, 4, [4]]);
});

test('a listing is put into the order of its paths, whatever bytes they hold', () => {
  const listing = Buffer.concat([
    Buffer.from('./b\0./a/c\0./a.c\0./\n\0./'),
    Buffer.from([0xff, 0]),
    Buffer.from('./Z\0'),
  ]);
  expect(unpackPaths(sortListing({ listing }))).toEqual(['\n', 'Z', 'a.c', 'a/c', 'b', '\0\u00ff']);
});
