/**
 * What a search costs in time, by the size of what is looked into. Measured on two cores with everything in the page
 * cache, 2026-11-30; only the proportion of the two ways counts, and it differs less between machines than the times.
 */
import type { LineMatcher } from './plan-search.ts';

export interface SearchSize {
  readonly files: number;
  readonly bytes: number;
}

/** Of a file that is opened, and of one whose content is kept in memory. */
const fileMs = { opened: 0.014, kept: 0.006 };
/** Of ripgrep: to begin; to list and open a file. */
const ripgrep = { startMs: 10, fileMs: 0.007, megabyteMs: 0.35 };

/** To look into files one by one, of which so many bytes are kept at most. */
export function readingMs({ files, bytes }: SearchSize, matcher: LineMatcher, keptBytes: number): number {
  return files * (bytes <= keptBytes ? fileMs.kept : fileMs.opened) + megabytes(bytes) * matchingMs(matcher);
}

/** For a megabyte: a text is looked for many times as quickly as an expression is matched. */
function matchingMs({ inner }: LineMatcher): number {
  if (inner === undefined) return 2;
  if (inner.fold) return 1;
  return 0.3 + 0.2 * inner.texts.length;
}

/** To let ripgrep search all of a tree. */
export function ripgrepMs({ files, bytes }: SearchSize): number {
  return ripgrep.startMs + files * ripgrep.fileMs + megabytes(bytes) * ripgrep.megabyteMs;
}

function megabytes(bytes: number): number {
  return bytes / 1_000_000;
}
