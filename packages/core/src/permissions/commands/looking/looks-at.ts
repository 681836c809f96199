/**
 * Decides whether a command only looks, and at what. Every option must be known: one that is not may write, or run a
 * program (`sed 's/a/b/e'`, `rg --pre`, `find -exec`, `git diff --output`; S-43).
 */
import type { SimpleCommand } from '../parse-command.ts';
import { readArguments } from './arguments.ts';
import { looksByGit } from './git.ts';
import { type Program, programs } from './programs.ts';

/** The paths that it reads; undefined: it may do more. Where bash fills in names of files, nobody knows which. */
export function looksAt({ words: [name = '', ...given], globs }: SimpleCommand): readonly string[] | undefined {
  if (globs) return undefined;
  if (name === 'git') return looksByGit(given) ? [] : undefined;
  const program = Object.hasOwn(programs, name) ? programs[name] : undefined;
  return program === undefined ? undefined : pathsOf(program, given);
}

function pathsOf(program: Program, given: readonly string[]): readonly string[] | undefined {
  if (program.fits !== undefined) return program.fits(given);
  const read = readArguments(program, given);
  if (read === undefined) return undefined;
  const { operands, options } = read;
  const hasText = program.textOptions?.some((name) => options.has(name)) ?? false;
  const texts = hasText ? 0 : (program.texts ?? 0);
  const paths = operands.slice(texts);
  return paths.length > (program.mostPaths ?? Number.POSITIVE_INFINITY) ? undefined : paths;
}
