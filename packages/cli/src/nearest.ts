/** The candidate that `word` was most likely meant to be: at most three edits away and less than its own length. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const ranked = candidates.map((candidate) => ({ candidate, edits: edits(word, candidate) }));
  const [best] = ranked.toSorted((a, b) => a.edits - b.edits);
  return best !== undefined && best.edits <= 3 && best.edits < best.candidate.length ? best.candidate : undefined;
}

/** Levenshtein's distance. */
function edits(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (const [index, letter] of [...from].entries()) {
    const next = [index + 1];
    for (const [column, other] of [...to].entries()) {
      const replaced = (row[column] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
