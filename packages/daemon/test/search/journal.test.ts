import { expect, test } from '@jest/globals';
import { createJournal } from '@zerd/daemon/search/index/journal';

const paths = (from: number, count: number) => Array.from({ length: count }, (_, n) => `f${from + n}`);

test('of a burst of 50,000 paths a journal never holds more than its bound, and says that some are lost', () => {
  const journal = createJournal(1_000);
  const held: number[] = [];
  for (let at = 0; at < 50_000; at += 250) {
    journal.note({ changed: paths(at, 125), removed: paths(at + 125, 125) });
    held.push(journal.changed.size + journal.removed.size);
  }
  expect([Math.max(...held), journal.isLost()]).toEqual([1_000, true]);
});

test('what was lost is made good by what began after it, and what was noted after that stays noted', () => {
  const journal = createJournal(3);
  journal.note({ changed: paths(0, 4), removed: [] });
  const until = journal.now();
  journal.note({ changed: ['later'], removed: [] });
  journal.forget(until, 'removed');
  expect(journal.isLost()).toBe(true);
  journal.forget(until);
  expect([journal.isLost(), ...journal.changed.keys()]).toEqual([false, 'later']);
});

test('what is lost while an index is built stays lost after it', () => {
  const journal = createJournal(3);
  const until = journal.now();
  journal.note({ changed: paths(0, 4), removed: [] });
  journal.forget(until);
  expect(journal.isLost()).toBe(true);
});
