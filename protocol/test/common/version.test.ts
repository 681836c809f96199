import { expect, test } from '@jest/globals';
import { isNewerVersion } from '../../src/common/version.ts';

test.each([
  ['0.2.0', '0.1.9', true],
  ['0.10.0', '0.9.0', true],
  ['1.0.0', '1.0.0-rc.1', true],
  ['1.0.0', '1.0.0', false],
  ['0.1.0', '0.2.0', false],
  ['fixture', '0.1.0', false],
  ['0.1.0', 'fixture', false],
])('whether %s comes after %s: %s', (a, b, newer) => {
  expect(isNewerVersion(a, b)).toBe(newer);
});
