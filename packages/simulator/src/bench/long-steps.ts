/**
 * The calls of the long script: 15 rounds, each of which reads two files, mends both, runs the tests after each mend and
 * reads each again, and then looks at two other things. 150 calls: 40 files read, 30 read again after an edit, 30 edits,
 * 30 test runs, 16 searches of 4 patterns, the big log 4 times.
 */
import type { Step } from '../players/player.ts';
import { longMends, longPaths, type Mend } from './long-files.ts';

export function longSteps(): readonly Step[] {
  const mends = longMends();
  const others = otherCalls();
  return Array.from({ length: mends.length / 2 }, (_, round) => {
    const [first, second] = mends.slice(2 * round, 2 * round + 2);
    if (first === undefined || second === undefined) return [];
    return [...roundOf(first, second), ...others.slice(2 * round, 2 * round + 2)];
  }).flat();
}

function roundOf(first: Mend, second: Mend): readonly Step[] {
  return [
    read(first.path),
    read(second.path),
    edit(first),
    tests,
    read(first.path),
    edit(second),
    tests,
    read(second.path),
  ];
}

/** 30: ten files that need no mending, searches that come back, and the log. */
function otherCalls(): readonly Step[] {
  const searches = ['\\+= n \\*', 'Errorf\\("cartstore', 'limit\\+1 ', 'func \\(x \\*Cart'].map((pattern) =>
    call('search', { pattern }),
  );
  const reads = longPaths.slice(-10).map(read);
  const log = call('shell', { command: 'cat build.log' });
  const looks = Array.from({ length: 20 }, (_, i) => (i % 5 === 2 ? log : searches[(i - Math.floor((i + 2) / 5)) % 4]));
  return Array.from({ length: 10 }, (_, i) => [looks[2 * i], reads[i], looks[2 * i + 1]]).flatMap((three) =>
    three.flatMap((step) => step ?? []),
  );
}

const tests = call('shell', { command: 'sh test.sh' });

function read(path: string): Step {
  return call('read', { path });
}

function edit({ path, old, new: text }: Mend): Step {
  return call('edit', { path, old, new: text });
}

function call(name: string, input: object): Step {
  return { calls: [{ name, input }] };
}
