/**
 * Decides which calls of one answer run side by side: neighbours of the same company do; a call without company runs
 * alone, in the order in which the model asked, so that a later call sees what an earlier one did.
 */
export function batches<C>(calls: readonly C[], companyOf: (call: C) => string | undefined): readonly (readonly C[])[] {
  const groups: C[][] = [];
  let open: { readonly company: string; readonly group: C[] } | undefined;
  for (const call of calls) {
    const company = companyOf(call);
    if (company !== undefined && open?.company === company) {
      open.group.push(call);
      continue;
    }
    const group = [call];
    groups.push(group);
    open = company === undefined ? undefined : { company, group };
  }
  return groups;
}
