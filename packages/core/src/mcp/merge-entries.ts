/** Puts the servers of the user and of the repository together. Invariant: what the user wrote wins, and that is said. */
import type { NamedEntry } from './entries.ts';

export interface SourcedEntry extends NamedEntry {
  readonly source: 'user' | 'repository';
}

export function mergeEntries(
  user: readonly NamedEntry[],
  repository: readonly NamedEntry[],
): { readonly entries: readonly SourcedEntry[]; readonly faults: readonly string[] } {
  const own = new Set(user.map(({ name }) => name));
  const hidden = repository.filter(({ name }) => own.has(name));
  const entries = [
    ...user.map((one) => ({ ...one, source: 'user' as const })),
    ...repository.filter(({ name }) => !own.has(name)).map((one) => ({ ...one, source: 'repository' as const })),
  ];
  return {
    entries: entries.sort((a, b) => (a.name < b.name ? -1 : 1)),
    faults: hidden.map(
      ({ name }) => `${name} of this repository has no effect: your configuration has one of that name`,
    ),
  };
}
