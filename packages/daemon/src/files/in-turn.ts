/**
 * Lets changes of one file happen one after another in this process, so that nobody plans on what another is about to
 * replace. The map holds only files that are being changed.
 */
const last = new Map<string, Promise<unknown>>();

/** Runs `change` when every earlier change of the file `real` has settled. */
export async function inTurn<T>(real: string, change: () => Promise<T>): Promise<T> {
  const before = last.get(real);
  const mine = (async () => {
    await before?.catch(() => undefined);
    return change();
  })();
  last.set(real, mine);
  try {
    return await mine;
  } finally {
    if (last.get(real) === mine) last.delete(real);
  }
}
