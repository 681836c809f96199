/**
 * Names of archived bodies. A body's id is the first 12 digits of its hash. A later body whose hash begins alike gets a
 * longer id, and its name says how long: `<hash>.<digits>`. Invariant: no id that was given out ever changes its meaning.
 */
import type { ArchiveId } from '@zerd/protocol/common/ids';

const shortest = 12;

export function idOfName(name: string): ArchiveId {
  const [hash = '', digits] = name.split('.');
  return hash.slice(0, digits === undefined ? shortest : Number(digits)) as ArchiveId;
}

/** The name under which the body `hash` is present. */
export function nameOfHash(names: readonly string[], hash: string): string | undefined {
  return names.find((name) => name === hash || name.startsWith(`${hash}.`));
}

/** The name that the body `hash` has, or is to get, among the names with the same first 12 digits. */
export function chooseName(names: readonly string[], hash: string): string {
  const present = nameOfHash(names, hash);
  if (present !== undefined || names.length === 0) return present ?? hash;
  let digits = shortest + 1;
  while (digits < hash.length && names.some((name) => name.startsWith(hash.slice(0, digits)))) digits++;
  return `${hash}.${digits}`;
}

/** The name that `id` means: the body whose id it is, else the only one whose hash begins so. */
export function findName(names: readonly string[], id: string): string | undefined {
  const exact = names.find((name) => idOfName(name) === id);
  if (exact !== undefined) return exact;
  const alike = names.filter((name) => name.startsWith(id));
  return alike.length === 1 ? alike[0] : undefined;
}
