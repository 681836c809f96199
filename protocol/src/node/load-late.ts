/**
 * Loads a module when it is first wanted. Invariant: an import begins only when there are file handles left for it, for Node
 * remembers one that failed for want of them, and gives that failure again for the life of the process.
 */
import { closeSync, openSync } from 'node:fs';

/** The module, loaded once. Rejects with EMFILE or ENFILE while there are no handles, and may be asked again. */
export function loadLate<T>(load: () => Promise<T>, requireHandles = openSome): () => Promise<T> {
  let loaded: Promise<T> | undefined;
  return async () => {
    if (loaded === undefined) {
      requireHandles();
      loaded = load();
    }
    return loaded;
  };
}

/** A module is a few files, which are read side by side. */
const enough = 16;

/** Throws what the system says where so many cannot be opened. */
function openSome(): void {
  const opened: number[] = [];
  try {
    while (opened.length < enough) opened.push(openSync('/dev/null', 'r'));
  } finally {
    for (const handle of opened) closeSync(handle);
  }
}
