/**
 * Gives memory back behind work: V8 keeps what a busy hour took until it has a reason to look, and an idle daemon gives it
 * none. Invariants: nothing is collected while a turn runs, and once behind work, so that idleness costs nothing.
 */
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

export interface Heap {
  /** What it has taken of the system. */
  bytes(): number;
  collect(): void;
}

/** Less is not worth the time that a collection takes, some tens of milliseconds. */
const worthBytes = 16 * 1024 * 1024;
/** Beats without a turn: the next one of somebody who reads the answer should not meet it. */
const quietBeats = 2;

/** To be told at each beat whether a turn runs. */
export function createRest(heap: Heap = ownHeap): (working: boolean) => void {
  let quiet = 0;
  let rested = heap.bytes();
  return (working) => {
    quiet = working ? 0 : quiet + 1;
    if (quiet < quietBeats || heap.bytes() - rested < worthBytes) return;
    heap.collect();
    rested = heap.bytes();
  };
}

export const ownHeap: Heap = {
  bytes: () => getHeapStatistics().total_heap_size,
  collect() {
    setFlagsFromString('--expose-gc');
    const gc: () => void = runInNewContext('gc');
    gc();
  },
};
