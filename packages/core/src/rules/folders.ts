/** Says whose rules hold for a path: those of each folder between the root and it. */

/** In each folder the first of these that is there counts. */
export const rulesNames = ['AGENTS.md', 'CLAUDE.md', 'GEMINI.md'] as const;

/** `apps/web/a.ts`: `apps`, `apps/web`. The root's own rules are part of every session from its beginning. */
export function foldersAbove(path: string): readonly string[] {
  const names = path.split('/').slice(0, -1);
  return names.map((_, index) => names.slice(0, index + 1).join('/'));
}

/** Whether the rules that stand in this file hold for `path`. */
export function holdsFor(rulesPath: string, path: string): boolean {
  const folder = rulesPath.split('/').slice(0, -1).join('/');
  return folder === '' || path.startsWith(`${folder}/`);
}
