/** What ripgrep is told about ignored and hidden files, and its way of writing paths. */

/** For a path that the model named although it is ignored or hidden. */
export const unrestricted: readonly string[] = ['--no-ignore', '--hidden'];

/** Ripgrep repeats the './' of its argument. */
export function withoutDot(path: string): string {
  return path.replace(/^(?:\.\/)+/, '');
}
