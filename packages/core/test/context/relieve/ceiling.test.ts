import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ceilingOf, outputWithin } from '../../../src/context/relieve/ceiling.ts';

function check(model: Parameters<typeof ceilingOf>[0], expected: { ceiling: number; output: number }): void {
  const { contextWindow, maxOutput } = model;
  expect({ ceiling: ceilingOf(model), output: outputWithin(contextWindow, maxOutput) }).toEqual(expected);
}

test('the ceiling leaves room for an answer of 20,000 tokens at most, and never exceeds 180,000', () => {
  check({ contextWindow: 200_000, maxOutput: 8_000 }, { ceiling: 180_000, output: 8_000 });
  check({ contextWindow: 100_000, maxOutput: 8_000 }, { ceiling: 92_000, output: 8_000 });
  check({ contextWindow: 1_000_000, maxOutput: 32_000 }, { ceiling: 180_000, output: 32_000 });
  check({ contextWindow: null, maxOutput: 8_192 }, { ceiling: 180_000, output: 8_192 });
  check({ contextWindow: 1_000_000, maxOutput: 32_000, tierEdge: 100_000 }, { ceiling: 95_000, output: 32_000 });
});

test('an answer may be as long as the window only in the catalogue: half of the window is for the prompt', () => {
  check({ contextWindow: 8_192, maxOutput: 8_192 }, { ceiling: 4_096, output: 4_096 });
  check({ contextWindow: 20_000, maxOutput: 20_000 }, { ceiling: 10_000, output: 10_000 });
  check({ contextWindow: 4_096, maxOutput: 32_000 }, { ceiling: 2_048, output: 2_048 });
  check({ contextWindow: 1, maxOutput: 32_000 }, { ceiling: 0, output: 1 });
});

test('what a request asks for is limited where a prompt at the ceiling leaves less', () => {
  check({ contextWindow: 100_000, maxOutput: 32_000 }, { ceiling: 80_000, output: 20_000 });
  check({ contextWindow: 200_000, maxOutput: 32_000 }, { ceiling: 180_000, output: 20_000 });
  check({ contextWindow: 205_000, maxOutput: 32_000 }, { ceiling: 180_000, output: 25_000 });
});

test('a prompt at the ceiling and the longest answer fit every window', () => {
  const model = fc.record({ contextWindow: fc.integer({ min: 2, max: 2_000_000 }), maxOutput: fc.nat(2_000_000) });
  fc.assert(
    fc.property(model, ({ contextWindow, maxOutput }) => {
      const ceiling = ceilingOf({ contextWindow, maxOutput });
      expect(ceiling + outputWithin(contextWindow, maxOutput)).toBeLessThanOrEqual(contextWindow);
      expect(ceiling).toBeGreaterThanOrEqual(Math.min(Math.floor(contextWindow / 2), 180_000));
    }),
  );
});
