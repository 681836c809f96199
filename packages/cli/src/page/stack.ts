/**
 * Lays columns of values upon each other, as steps: each request takes the place from half before to half behind its
 * number, so that a single one has a width too. Invariant: a request without values is a gap in every layer.
 */

export type Column = readonly (number | null)[];

/** `rows` of a request are its values from the bottom up. The first column are places, the others tops, the uppermost first. */
export function stackSteps(rows: readonly (readonly number[] | null)[], layers: number): readonly Column[] {
  const places = rows.flatMap((_, index) => [index + 0.5, index + 1.5]);
  const tops = Array.from({ length: layers }, (_, layer) => rows.flatMap((row) => twice(topOf(row, layer))));
  return [places, ...tops.reverse()];
}

function topOf(row: readonly number[] | null, layer: number): number | null {
  return row === null ? null : row.slice(0, layer + 1).reduce((sum, value) => sum + value, 0);
}

function twice(value: number | null): readonly (number | null)[] {
  return [value, value];
}
