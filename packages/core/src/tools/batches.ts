/**
 * Decides which calls of one answer run side by side: neighbours that only read do; everything else runs alone, in the
 * order in which the model asked, so that a later call sees what an earlier one did.
 */
export function batches<C>(calls: readonly C[], readsOnly: (call: C) => boolean): readonly (readonly C[])[] {
  const groups: C[][] = [];
  let open: C[] | undefined;
  for (const call of calls) {
    if (!readsOnly(call)) {
      groups.push([call]);
      open = undefined;
    } else if (open) {
      open.push(call);
    } else {
      open = [call];
      groups.push(open);
    }
  }
  return groups;
}
