import { expect, test } from '@jest/globals';
import { answerMs } from '../../src/base/answer-time.ts';

const hour = 3_600_000;
const day = 24 * hour;
const askedAt = 1_000 * day;

test.each([
  ['just asked', 0, day],
  ['asked some hours before a restart', 5 * hour, 19 * hour],
  ['asked, and no daemon ran over a weekend', 60 * hour, hour],
  ['asked, and the time of day was set ahead by a year', 365 * day, hour],
  ['asked, and the time of day was set back by a year', -365 * day, day],
])('%s: it is waited for long enough to be answered, and no longer than a day', (_, since, expected) => {
  expect(answerMs(askedAt, day, askedAt + since)).toBe(expected);
});
