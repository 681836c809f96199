import { expect, test } from '@jest/globals';
import { loadLate } from '../../src/node/load-late.ts';

test('a module is loaded when it is first wanted, and once', async () => {
  let loads = 0;
  const load = loadLate(async () => ({ loads: ++loads }));
  expect(loads).toBe(0);
  expect(await Promise.all([load(), load()])).toEqual([{ loads: 1 }, { loads: 1 }]);
  expect(await load()).toEqual({ loads: 1 });
});

test('while there are no file handles nothing is loaded, and later it is', async () => {
  let [free, loads] = [false, 0];
  const full = Object.assign(new Error('too many open files'), { code: 'EMFILE' });
  const requireHandles = () => {
    if (!free) throw full;
  };
  const load = loadLate(async () => ++loads, requireHandles);
  await expect(load()).rejects.toBe(full);
  await expect(load()).rejects.toBe(full);
  expect(loads).toBe(0);
  free = true;
  expect(await load()).toBe(1);
});
