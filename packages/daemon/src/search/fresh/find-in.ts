/** Which of some paths a pattern means: a glob where it has glob characters, else a part of the path in any case. */
import { isGlob, parseGlob } from '@zerd/core/search/glob';

export function findIn(paths: Iterable<string>, pattern: string): string[] {
  const fits = fitsPattern(pattern);
  const found: string[] = [];
  for (const path of paths) if (fits(path)) found.push(path);
  return found;
}

export function fitsPattern(pattern: string): (path: string) => boolean {
  if (isGlob(pattern)) return parseGlob(pattern).matches;
  const part = pattern.replace(/^(?:\.\/)+/, '').toLowerCase();
  return (path) => path.toLowerCase().includes(part);
}
