/** Reads a number that a person typed: digits, with a point before a fraction. NaN: it is none. */
export function plainNumber(text: string): number {
  return /^(\d+(\.\d+)?|\.\d+)$/.test(text) ? Number(text) : Number.NaN;
}
