/** Items of a list that is open, asked for anew while it is. Invariant: after `stop` nothing is asked any more. */
import type { Item } from './overlay.ts';

export interface LiveItems {
  items(): readonly Item[];
  stop(): void;
}

const periodMs = 1_000;

export function liveItems(
  first: readonly Item[],
  refresh: (() => Promise<readonly Item[]>) | undefined,
  changed: () => void,
): LiveItems {
  let items = first;
  let over = refresh === undefined;
  let timer: NodeJS.Timeout | undefined;

  function later(): void {
    if (!over) timer = setTimeout(() => void look(), periodMs);
  }

  async function look(): Promise<void> {
    // A daemon that is busy or starting anew is asked again: the old rows stand until then.
    const next = await refresh?.().catch(() => undefined);
    if (over) return;
    if (next !== undefined && JSON.stringify(next) !== JSON.stringify(items)) {
      items = next;
      changed();
    }
    later();
  }

  later();
  return {
    items: () => items,
    stop() {
      over = true;
      clearTimeout(timer);
    },
  };
}
