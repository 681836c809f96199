import { expect, test } from '@jest/globals';
import { manualClock } from '../../../../test/support/manual-clock.ts';
import { createGroupCommit } from '../../src/store/group-commit.ts';

test('what arrives within the window is one commit; what arrives during a commit waits for the next', async () => {
  const clock = manualClock();
  const { commits, group, told } = recording(10);
  const first = [group.submit('a'), group.submit('b')];
  await Promise.resolve();
  clock.advance(9);
  first.push(group.submit('c'));
  expect(commits).toEqual([]);
  clock.advance(1);
  await until(() => commits.length === 1);
  const later = group.submit('d');
  commits[0]?.settle();
  expect(await Promise.all(first)).toEqual(['A', 'B', 'C']);
  expect([commits.map(({ members }) => members), told]).toEqual([[['a', 'b', 'c']], ['a', 'b', 'c']]);
  await until(() => clock.timers() === 1);
  clock.advance(10);
  await until(() => commits.length === 2);
  commits[1]?.settle();
  expect([await later, commits[1]?.members]).toEqual(['D', ['d']]);
  await group.drain();

  function recording(windowMs: number) {
    const commits: { members: readonly string[]; settle: () => void }[] = [];
    const told: string[] = [];
    const commit = (members: readonly string[]) =>
      new Promise<readonly string[]>((resolve) => {
        commits.push({ members, settle: () => resolve(members.map((member) => member.toUpperCase())) });
      });
    const group = createGroupCommit<string, string>({
      commit,
      committed: (member) => void told.push(member),
      clock,
      windowMs,
    });
    return { commits, told, group };
  }
});

test('a failed commit refuses all its members and tells nobody; the next one is not touched by it', async () => {
  const told: string[] = [];
  let fail = true;
  const group = createGroupCommit<string, string>({
    commit: async (members) => {
      if (fail) throw new Error('full');
      return members;
    },
    committed: (member) => void told.push(member),
    clock: manualClock(),
    windowMs: 0,
  });
  const results = await Promise.allSettled([group.submit('a'), group.submit('b')]);
  expect([results.map(({ status }) => status), told]).toEqual([['rejected', 'rejected'], []]);
  fail = false;
  expect([await group.submit('c'), told]).toEqual(['c', ['c']]);
  await group.drain();
});

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}
