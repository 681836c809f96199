/**
 * Keeps the first hits in path order while ripgrep's threads report files in any order, and counts the rest. Invariant:
 * the same tree gives the same answer, and memory is bounded by the limits whatever is found.
 */
import type { SearchAnswer, SearchHit } from '../base/ports.ts';
import type { RipgrepLine } from '../processes/ripgrep-messages.ts';

export interface HitLimits {
  readonly hits: number;
  readonly bytes: number;
  /** Files that are counted one by one. */
  readonly files: number;
}

export const defaultHitLimits: HitLimits = { hits: 2_000, bytes: 1_048_576, files: 20_000 };

/** A file that holds a NUL before this has no lines to show. */
const surelyBinary = 65_536;

interface FoundFile {
  readonly path: string;
  readonly hits: readonly SearchHit[];
  readonly bytes: number;
}

export interface HitCollector {
  begin(path: string): void;
  /** Whether the next line of the current file is worth reading; when not, tell `count` only. */
  wantsLines(): boolean;
  take(lines: readonly RipgrepLine[], isMatch: boolean): void;
  count(): void;
  /** Not to keep: what came of the file does not count. `binaryAt`: about where it holds a NUL. */
  end(keep: boolean, binaryAt?: number): void;
  /** Undefined: no file that matches holds a NUL. */
  binaryNote(): string | undefined;
  answer(): Pick<SearchAnswer, 'hits' | 'totalMatches' | 'totalFiles' | 'files'>;
}

export function createHitCollector(limits: HitLimits): HitCollector {
  let files: FoundFile[] = [];
  let kept = { hits: 0, bytes: 0 };
  /** Paths from here on can no longer be among the first. */
  let horizon: string | undefined;
  const counts = new Map<string, number>();
  let totalMatches = 0;
  let totalFiles = 0;
  const binary = { files: 0, first: '' };
  let current = { path: '', hits: [] as SearchHit[], bytes: 0, matches: 0 };

  function isFull(size: { readonly hits: number; readonly bytes: number }): boolean {
    return size.hits >= limits.hits || size.bytes >= limits.bytes;
  }

  function wantsLines(): boolean {
    if (horizon !== undefined && current.path > horizon) return false;
    return !isFull({ hits: current.hits.length, bytes: current.bytes });
  }

  function take(lines: readonly RipgrepLine[], isMatch: boolean): void {
    if (isMatch) current.matches += 1;
    for (const line of lines) {
      current.hits.push({ path: current.path, ...line });
      current.bytes += line.text.length + current.path.length + 16;
    }
  }

  function end(keep: boolean, binaryAt?: number): void {
    if (!keep || current.matches === 0) return;
    if (binaryAt !== undefined) {
      binary.first = binary.files === 0 || current.path < binary.first ? current.path : binary.first;
      binary.files += 1;
      if (binaryAt < surelyBinary) return;
    }
    totalFiles += 1;
    totalMatches += current.matches;
    if (counts.size < limits.files) counts.set(current.path, current.matches);
    if (current.hits.length === 0) return;
    files.push({ path: current.path, hits: current.hits, bytes: current.bytes });
    kept = { hits: kept.hits + current.hits.length, bytes: kept.bytes + current.bytes };
    if (kept.hits >= 2 * limits.hits || kept.bytes >= 2 * limits.bytes) prune();
  }

  /** Drops the files behind the point where the limits are reached. */
  function prune(): void {
    files.sort(byPath);
    let size = { hits: 0, bytes: 0 };
    const end = files.findIndex((file) => {
      size = { hits: size.hits + file.hits.length, bytes: size.bytes + file.bytes };
      return isFull(size);
    });
    if (end < 0) return;
    files = files.slice(0, end + 1);
    kept = size;
    horizon = files.at(-1)?.path;
  }

  function answer() {
    files.sort(byPath);
    const byName = [...counts].map(([path, count]) => ({ path, count })).sort(byPath);
    return { hits: firstHits(files, limits), totalMatches, totalFiles, files: byName };
  }

  return {
    begin(path) {
      current = { path, hits: [], bytes: 0, matches: 0 };
    },
    wantsLines,
    take,
    count() {
      current.matches += 1;
    },
    end,
    binaryNote() {
      if (binary.files === 0) return undefined;
      const others = binary.files === 1 ? '' : ` and ${binary.files - 1} more`;
      return `${binary.first}${others} matches but holds binary data (a NUL byte); lines behind it may be missing`;
    },
    answer,
  };
}

function firstHits(files: readonly FoundFile[], limits: HitLimits): SearchHit[] {
  const hits: SearchHit[] = [];
  let bytes = 0;
  for (const hit of files.flatMap((file) => file.hits)) {
    bytes += hit.text.length + hit.path.length + 16;
    if (hits.length >= limits.hits || bytes > limits.bytes) break;
    hits.push(hit);
  }
  return hits;
}

function byPath(a: { readonly path: string }, b: { readonly path: string }): number {
  return a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
}
