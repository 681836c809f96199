/**
 * Writes a path as one line. Invariant: whatever its bytes are, a name never passes for two, nor for another line of a
 * result; a path without control characters stays as it is.
 */
export function oneLinePath(path: string): string {
  return /[\0-\x1f\x7f-\x9f\u2028\u2029]/.test(path) ? JSON.stringify(path) : path;
}
