/**
 * Compares two lists of lines by Myers' greedy algorithm. Invariants: the same lists give the same blocks, whatever the
 * machine; outside the blocks both lists are equal; work is bounded, and beyond the bound there is no answer.
 */

/** `old[from..to)` was replaced by `now[nowFrom..nowTo)`; counted from 0. Either may be empty, not both. */
export interface ChangedBlock {
  readonly from: number;
  readonly to: number;
  readonly nowFrom: number;
  readonly nowTo: number;
}

/** Lines that may differ in all: what differs more is no longer worth comparing. */
const maxDifferences = 600;

/** In order and apart from each other. Undefined: too different. */
export function changedBlocks(old: readonly string[], now: readonly string[]): readonly ChangedBlock[] | undefined {
  const head = commonHead(old, now);
  const tail = commonTail(old, now, head);
  const a = old.slice(head, old.length - tail);
  const b = now.slice(head, now.length - tail);
  if (a.length === 0 && b.length === 0) return [];
  if (a.length === 0 || b.length === 0) return [blockOf(head, a.length, head, b.length)];
  const equal = equalPairs(a, b);
  return equal && blocksBetween(equal, a.length, b.length, head);
}

function commonHead(a: readonly string[], b: readonly string[]): number {
  const most = Math.min(a.length, b.length);
  let same = 0;
  while (same < most && a[same] === b[same]) same += 1;
  return same;
}

function commonTail(a: readonly string[], b: readonly string[], head: number): number {
  const most = Math.min(a.length, b.length) - head;
  let same = 0;
  while (same < most && a[a.length - 1 - same] === b[b.length - 1 - same]) same += 1;
  return same;
}

function blockOf(from: number, lines: number, nowFrom: number, nowLines: number): ChangedBlock {
  return { from, to: from + lines, nowFrom, nowTo: nowFrom + nowLines };
}

type Pair = readonly [number, number];

/** The pairs of equal lines on a shortest path, in order. */
function equalPairs(a: readonly string[], b: readonly string[]): readonly Pair[] | undefined {
  const most = Math.min(maxDifferences, a.length + b.length);
  const furthest = new Int32Array(2 * most + 3);
  const reach: Reach = (k) => furthest[k + most + 1] ?? 0;
  const trace: Int32Array[] = [];
  for (let d = 0; d <= most; d += 1) {
    trace.push(furthest.slice(most - d, most + d + 3));
    for (let k = -d; k <= d; k += 2) {
      const x = slide(a, b, goesDown(reach, k, d) ? reach(k + 1) : reach(k - 1) + 1, k);
      furthest[k + most + 1] = x;
      if (x >= a.length && x - k >= b.length) return walkBack(trace, a.length, b.length);
    }
  }
  return undefined;
}

/** How far in `a` the paths with one difference less came on diagonal `k`. */
type Reach = (k: number) => number;

function goesDown(reach: Reach, k: number, d: number): boolean {
  return k === -d || (k !== d && reach(k - 1) < reach(k + 1));
}

function slide(a: readonly string[], b: readonly string[], from: number, k: number): number {
  let x = from;
  while (x < a.length && x - k < b.length && a[x] === b[x - k]) x += 1;
  return x;
}

function walkBack(trace: readonly Int32Array[], aLength: number, bLength: number): readonly Pair[] {
  const pairs: Pair[] = [];
  let [x, y] = [aLength, bLength];
  for (let d = trace.length - 1; d >= 0; d -= 1) {
    const reach: Reach = (k) => trace[d]?.[k + d + 1] ?? 0;
    const before = x - y + (goesDown(reach, x - y, d) ? 1 : -1);
    const [fromX, fromY] = [reach(before), reach(before) - before];
    while (x > fromX && y > fromY && x > 0 && y > 0) {
      x -= 1;
      y -= 1;
      pairs.push([x, y]);
    }
    [x, y] = [fromX, fromY];
  }
  return pairs.reverse();
}

function blocksBetween(pairs: readonly Pair[], aLength: number, bLength: number, skipped: number): ChangedBlock[] {
  const blocks: ChangedBlock[] = [];
  let [x, y] = [0, 0];
  for (const [i, j] of [...pairs, [aLength, bLength] as const]) {
    if (i > x || j > y) blocks.push(blockOf(x + skipped, i - x, y + skipped, j - y));
    [x, y] = [i + 1, j + 1];
  }
  return blocks;
}
