/** Finds the paths that a text names behind an `@`, as people write them. Pure. Which of them are images, their bytes say. */

/** As many are looked at. */
const mostMentions = 50;

/**
 * In their order, each once: `@shot.png`, `(see @docs/a.png)`, `@"with spaces.png"`. The lengths are bounded: an expression
 * that may go on for ever runs out of stack in megabytes.
 */
export function mentionedPaths(text: string): readonly string[] {
  const found = [...text.matchAll(/(?<![^\s("'`[])@(?:"([^"\n]{1,1000})"|([^\s"'`]{1,1000}))/g)];
  const paths = found.map(([, quoted, plain = '']) => quoted ?? withoutEnd(plain));
  return [...new Set(paths.filter((path) => path !== ''))].slice(0, mostMentions);
}

/** What ends a sentence or closes a bracket is no part of a path. */
function withoutEnd(path: string): string {
  return path.replace(/[.,;:!?)\]}>]+$/, '');
}
