import { expect, test } from '@jest/globals';
import { manualClock } from '../../../../test/support/manual-clock.ts';
import { createAnswerDesk } from '../../src/base/answer-desk.ts';

const never = () => new AbortController().signal;
const kept = () => Promise.resolve();

test('the first answer reaches whoever waits, and only after its commit', async () => {
  const desk = createAnswerDesk<string, string>(manualClock());
  const order: string[] = [];
  const waiting = desk.wait('a', { ms: 10, signal: never() }).then((answer) => order.push(`handed ${answer}`));
  expect(await desk.settle('a', 'yes', async () => void order.push('committed'))).toBe(true);
  await waiting;
  expect(order).toEqual(['committed', 'handed yes']);
});

test('a second answer that comes while the first is being committed is refused and commits nothing', async () => {
  const desk = createAnswerDesk<string, string>(manualClock());
  const waiting = desk.wait('a', { ms: 10, signal: never() });
  let finish = () => {};
  const first = desk.settle('a', 'first', () => new Promise<void>((resolve) => (finish = resolve)));
  const second = await desk.settle('a', 'second', () => Promise.reject(new Error('never committed')));
  finish();
  expect([await first, second, await waiting]).toEqual([true, false, 'first']);
});

test('a deadline that passes while an answer is being committed does not overtake it', async () => {
  const clock = manualClock();
  const desk = createAnswerDesk<string, string>(clock);
  const waiting = desk.wait('a', { ms: 10, signal: never() });
  let finish = () => {};
  const first = desk.settle('a', 'yes', () => new Promise<void>((resolve) => (finish = resolve)));
  clock.advance(10);
  finish();
  expect([await first, await waiting, clock.timers()]).toEqual([true, 'yes', 0]);
});

test('behind a commit that failed the wait goes on, and so does its deadline', async () => {
  const clock = manualClock();
  const desk = createAnswerDesk<string, string>(clock);
  const waiting = desk.wait('a', { ms: 10, signal: never() });
  await expect(desk.settle('a', 'yes', () => Promise.reject(new Error('disk full')))).rejects.toThrow('disk full');
  clock.advance(10);
  expect(await waiting).toBeUndefined();
});

test('a wait that expired takes no answer any more', async () => {
  const clock = manualClock();
  const desk = createAnswerDesk<string, string>(clock);
  const waiting = desk.wait('a', { ms: 10, signal: never() });
  clock.advance(10);
  expect([await waiting, await desk.settle('a', 'late', kept)]).toEqual([undefined, false]);
});

test('an interrupt rejects the wait with its reason and leaves no timer', async () => {
  const clock = manualClock();
  const desk = createAnswerDesk<string, string>(clock);
  const abort = new AbortController();
  const waiting = desk.wait('a', { ms: 10, signal: abort.signal });
  abort.abort('interrupted by the user');
  await expect(waiting).rejects.toBe('interrupted by the user');
  expect(clock.timers()).toBe(0);
});

test('an answer that nobody waits for in this process is committed all the same', async () => {
  const desk = createAnswerDesk<string, string>(manualClock());
  expect(await desk.settle('a', 'yes', kept)).toBe(true);
});
