import { expect, test } from '@jest/globals';
import { createSharedEnvs } from '../../src/server/shared-env.ts';

const env = (n: number) => ({ PATH: '/bin', SHLVL: String(n) });

test('R-08: clients with the same environment share one copy of it, and those with another none', () => {
  const shared = createSharedEnvs();
  const first = shared(env(1));
  expect(shared(env(1))).toBe(first);
  expect(shared(env(2))).not.toBe(first);
  expect(shared(env(2))).toEqual(env(2));
});

test('R-08: of a thousand environments the last few are held, and one that keeps coming stays', () => {
  const shared = createSharedEnvs();
  const [rare, usual] = [shared(env(1)), shared(env(2))];
  for (let n = 3; n < 1_000; n++) {
    shared(env(n));
    expect(shared(env(2))).toBe(usual);
  }
  expect(shared(env(1))).not.toBe(rare);
});
