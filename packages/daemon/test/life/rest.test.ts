import { expect, test } from '@jest/globals';
import { createRest, ownHeap } from '../../src/life/rest.ts';

const megabyte = 1024 * 1024;

/** A collection leaves `live` bytes. */
function resting({ live = 30 * megabyte } = {}) {
  const heap = { taken: live, collections: 0 };
  const beat = createRest({
    bytes: () => heap.taken,
    collect() {
      heap.collections += 1;
      heap.taken = live;
    },
  });
  return { heap, beat };
}

test('R-09: behind work what it took is given back, once, at the second beat without a turn', () => {
  const { heap, beat } = resting();
  heap.taken = 200 * megabyte;
  const seen = [true, true, false, true, false, false, false, false].map((working) => {
    beat(working);
    return heap.collections;
  });
  expect(seen).toEqual([0, 0, 0, 0, 0, 1, 1, 1]);
});

test('R-09: a day of idleness collects nothing, and neither does work that took little', () => {
  const { heap, beat } = resting();
  for (let n = 0; n < 5_760; n++) beat(false);
  heap.taken += 15 * megabyte;
  for (let n = 0; n < 5_760; n++) beat(false);
  expect(heap.collections).toBe(0);
});

test('R-08: a collection takes what nobody holds', async () => {
  const forgotten = new WeakRef({});
  // Until then it is held by whoever made it.
  await new Promise(setImmediate);
  ownHeap.collect();
  expect([forgotten.deref(), ownHeap.bytes() > megabyte]).toEqual([undefined, true]);
});
