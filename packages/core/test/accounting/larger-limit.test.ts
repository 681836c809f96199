import { expect, test } from '@jest/globals';
import { moreThan } from '@zerd/core/accounting/larger-limit';
import type { SpendingLimit } from '@zerd/protocol/common/cost-events';

function check(holds: SpendingLimit, said: SpendingLimit, expected: SpendingLimit | undefined) {
  expect(moreThan(holds, said)).toEqual(expected);
}

test('a limit allows more in the measures that both name, and in which it is larger', () => {
  check({ pico: 5 }, { pico: 8 }, { pico: 3 });
  check({ pico: 5, tokens: 10 }, { pico: 8, tokens: 9 }, { pico: 3 });
  check({ pico: 5, tokens: 10 }, { tokens: 11 }, { tokens: 1 });
  check({ pico: 5 }, { pico: 5 }, undefined);
  check({ pico: 5 }, { pico: 4 }, undefined);
  check({ pico: 5 }, { tokens: 100 }, undefined);
  check({}, { pico: 5 }, undefined);
});
