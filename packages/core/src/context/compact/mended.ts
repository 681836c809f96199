/**
 * Finds the failures that a run shows as mended: it was told as a diff against the run before, and where that named a
 * failing test it names the same test as passing. Invariant: a line that is merely gone is not mended, as it may be in
 * what was left out.
 */
import { namesFailingTest } from '../admit/failing-test.ts';
import { saysPassed } from '../admit/trouble.ts';

/** The failing tests with the lines that follow each, without the spaces around them. `diff`: the lines of the diff. */
export function mendedIn(diff: readonly string[]): readonly string[] {
  return changesOf(diff).flatMap(({ gone, come }) => {
    const passing = come.filter(saysPassed).map(wordsOf);
    let isMended = false;
    return gone.filter((line) => {
      if (namesFailingTest(line)) isMended = passing.some((words) => includesAll(words, wordsOf(line)));
      return isMended;
    });
  });
}

interface Change {
  readonly gone: string[];
  readonly come: string[];
}

/** What stands together in a diff. */
function changesOf(diff: readonly string[]): readonly Change[] {
  const changes: Change[] = [];
  let open: Change | undefined;
  for (const line of diff) {
    const side = line.startsWith('-') ? 'gone' : line.startsWith('+') ? 'come' : undefined;
    if (side === undefined) {
      open = undefined;
      continue;
    }
    if (open === undefined) {
      open = { gone: [], come: [] };
      changes.push(open);
    }
    open[side].push(line.slice(1).trim());
  }
  return changes;
}

const verdict = /^\W*(?:not|ok|pass(?:ed)?|fail(?:ed)?|error)\W*$/i;
const duration = /\(?\b\d+(?:\.\d+)?\s?[mun\u00b5]?s\b\)?/g;

/** What names a test: neither the verdict nor how long it took. */
function wordsOf(line: string): readonly string[] {
  const words = line.replace(duration, ' ').split(/\s+/);
  return words.filter((word) => /\p{L}/u.test(word) && !verdict.test(word));
}

function includesAll(words: readonly string[], wanted: readonly string[]): boolean {
  return wanted.length > 0 && wanted.every((word) => words.includes(word));
}
