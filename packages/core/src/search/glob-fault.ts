/** Says what is wrong with a glob, as ripgrep would. Invariant: what has no fault here is accepted by ripgrep too. */

/** A character with its backslash, a class with its brackets, or any other character. */
const piecePattern = /\\[\s\S]?|\[[!^]?\][^\]]*\]|\[[!^][^\]]+\]|\[[^\]!^][^\]]*\]|[\s\S]/gu;

export function globPieces(glob: string): string[] {
  return glob.match(piecePattern) ?? [];
}

/** Undefined: nothing is wrong. */
export function globFault(glob: string): string | undefined {
  let depth = 0;
  for (const piece of globPieces(glob)) {
    if (piece === '\\') return 'a backslash at its end stands before nothing';
    if (piece === '[') return 'a character class is not closed, "]" is missing (write "[[]" for the bracket itself)';
    const range = piece.length > 1 && piece.startsWith('[') ? badRange(piece) : undefined;
    if (range !== undefined) return `the range ${range} is empty`;
    if (piece === '{') depth += 1;
    if (piece === '}') depth -= 1;
    if (depth < 0) return 'a group is not opened, "{" is missing (write "[}]" for the brace itself)';
  }
  return depth > 0 ? 'a group is not closed, "}" is missing (write "[{]" for the brace itself)' : undefined;
}

function badRange(piece: string): string | undefined {
  for (const [range, from, to] of piece.slice(1, -1).matchAll(/([\s\S])-([\s\S])|[\s\S]/gu)) {
    if (from !== undefined && to !== undefined && from > to) return range;
  }
  return undefined;
}
