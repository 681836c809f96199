import { expect, test } from '@jest/globals';
import { createUnanswered } from '../src/app/unanswered.ts';

test('what is not answered is told after a while, the longest wait first, and no more when it is', async () => {
  let now = 1_000;
  const unanswered = createUnanswered(() => now);
  const told = () => [unanswered.any, unanswered.says(now)];
  expect(told()).toEqual([false, undefined]);
  let [answer, refuse] = [() => {}, () => {}];
  const first = unanswered.of(new Promise<void>((resolve) => (answer = resolve)));
  now += 1_999;
  expect(told()).toEqual([true, undefined]);
  const second = unanswered.of(new Promise<void>((_, reject) => (refuse = () => reject(new Error('no')))));
  now += 3_001;
  expect(told()).toEqual([true, 'waiting for the daemon, 5 s']);
  answer();
  await first;
  expect(told()).toEqual([true, 'waiting for the daemon, 3 s']);
  refuse();
  await expect(second).rejects.toThrow('no');
  expect(told()).toEqual([false, undefined]);
});
