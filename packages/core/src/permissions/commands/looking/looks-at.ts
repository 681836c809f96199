/**
 * Decides whether a command only looks, and at what. Every option must be known: one that is not may write, or run a
 * program (`sed 's/a/b/e'`, `rg --pre`, `find -exec`, `git diff --output`; S-43).
 */
import type { SimpleCommand } from '../parse-command.ts';
import { readArguments } from './arguments.ts';
import { looksByGit } from './git.ts';
import { type Program, programs } from './programs.ts';

/** What a command reads. */
export interface Sight {
  readonly paths: readonly string[];
  /** They must be no folders: it would follow the links in them. */
  readonly onlyFiles: boolean;
}

/** Undefined: it may do more. Where bash fills in names of files, nobody knows which. */
export function looksAt({ words: [name = '', ...given], globs }: SimpleCommand): Sight | undefined {
  if (globs) return undefined;
  const program = Object.hasOwn(programs, name) ? programs[name] : undefined;
  const paths = name === 'git' ? looksByGit(given) : program && pathsOf(program, given);
  return paths && { paths, onlyFiles: program?.onlyFiles === true };
}

function pathsOf(program: Program, given: readonly string[]): readonly string[] | undefined {
  if (program.fits !== undefined) return program.fits(given);
  const read = readArguments(program, given);
  if (read === undefined) return undefined;
  const { operands, options } = read;
  const hasText = program.textOptions?.some((name) => options.has(name)) ?? false;
  const texts = hasText ? 0 : (program.texts ?? 0);
  const paths = operands.slice(texts);
  // An option of old: `tail +1f` waits.
  if (paths.some((path) => path.startsWith('+'))) return undefined;
  return paths.length > (program.mostPaths ?? Number.POSITIVE_INFINITY) ? undefined : paths;
}
