/** The candidate that `word` was most likely meant to be: of three letters no more than one was mistyped. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const ranked = candidates.map((candidate) => ({ candidate, edits: edits(word, candidate) }));
  const [best] = ranked.toSorted((a, b) => a.edits - b.edits);
  if (best === undefined) return undefined;
  const most = Math.max(1, Math.floor(Math.max(word.length, best.candidate.length) / 3));
  return best.edits <= most ? best.candidate : undefined;
}

/** Levenshtein's distance, where two letters in the wrong order are one edit. */
function edits(from: string, to: string): number {
  let before: number[] = [];
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (const [index, letter] of [...from].entries()) {
    const next = [index + 1];
    for (const [column, other] of [...to].entries()) {
      const replaced = (row[column] ?? 0) + (letter === other ? 0 : 1);
      const turned = from[index - 1] === other && letter === to[column - 1] ? (before[column - 1] ?? 0) + 1 : replaced;
      next.push(Math.min(replaced, turned, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    before = row;
    row = next;
  }
  return row.at(-1) ?? 0;
}
