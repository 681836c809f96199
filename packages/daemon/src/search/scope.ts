/** What a search is about: its glob, what ripgrep is told about ignored and hidden files, and its way of writing paths. */
import { type Glob, parseGlob } from '@zerd/core/search/glob';
import { ZerdError } from '@zerd/protocol/common/errors';

/** Throws where the glob cannot be what was meant. */
export function acceptedGlob(glob: string): Glob {
  const parsed = parseGlob(glob);
  if (parsed.fault === undefined) return parsed;
  throw new ZerdError('invalid_params', `The glob '${glob.slice(0, 200)}' was not accepted: ${parsed.fault}.`);
}

/** For a path that the model named although it is ignored or hidden. */
export const unrestricted: readonly string[] = ['--no-ignore', '--hidden'];

/** Ripgrep repeats the './' of its argument. */
export function withoutDot(path: string): string {
  return path.replace(/^(?:\.\/)+/, '');
}
