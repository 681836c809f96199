import { expect, test } from '@jest/globals';
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { Step } from '@zerd/simulator/players/player';
import type { Store } from '../../src/base/ports.ts';
import { closeScene, filesOf, prose, readAll, reader, scene, small } from './compaction-scene.ts';

/** What is to be summed up does not fit at first. */
const inParts = (n: number): Step => (n === 1 ? { fault: { kind: 'overflow' } } : { text: `${prose} Part ${n}.` });

/** A session that is summed up in parts by itself; it is interrupted with its n-th commit. */
async function interruptedAt(n: number): Promise<readonly (readonly SessionEvent[])[]> {
  const commits: (readonly SessionEvent[])[] = [];
  const throughStore = (store: Store): Store => ({
    ...store,
    async append(sessionId, events) {
      const done = await store.append(sessionId, events);
      if (events[0]?.kind !== 'session.created' && commits.push(events) === n) void scene.runner.interrupt(sessionId);
      return done;
    },
  });
  const wish = { config: small, window: 30_000, contextWindow: 200_000, files: filesOf(14, 400), throughStore };
  await readAll(14, { player: reader(14, inParts), ...wish });
  return commits;
}

const asks = (commit: readonly SessionEvent[] | undefined) => commit?.find((event) => event.kind === 'request.started');

test('an interrupt while a conversation is summed up by itself: nothing is asked any more, and what was logged was sent', async () => {
  const whole = await interruptedAt(0);
  const parts = whole.flatMap((commit, n) => (asks(commit)?.purpose === 'compaction' ? [n + 1] : []));
  expect(parts.length).toBeGreaterThan(1);
  await closeScene();
  const [first = 0, last = 0] = [Math.min(...parts), Math.max(...parts)];
  for (let n = first - 2; n <= Math.min(last, first + 4); n++) {
    if (asks(whole[n - 1]) !== undefined) continue;
    const commits = await interruptedAt(n);
    expect({ n, later: commits.slice(n).filter((commit) => asks(commit) !== undefined) }).toEqual({ n, later: [] });
    expect(commits.at(-1)?.at(-1)).toMatchObject({ kind: 'turn.finished', outcome: 'interrupted' });
    expect(scene.gateway.requests).toHaveLength(commits.filter((commit) => asks(commit) !== undefined).length);
    await closeScene();
  }
});
