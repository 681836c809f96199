/** Does: finds files by path through the port, and says how many there are beyond what it lists. */
import { oneLinePath } from '@zerd/core/text/one-line-path';
import { isZerdError } from '@zerd/protocol/common/errors';
import type { FindAnswer, ToolRun } from '../../base/ports.ts';

export const run: ToolRun<'find'> = async ({ pattern }, { search, signal }) => {
  try {
    return { outcome: 'ok', body: { kind: 'text', text: describe(await search.find(pattern, signal)) } };
  } catch (error) {
    if (signal.aborted) return { outcome: 'interrupted', body: { kind: 'text', text: 'interrupted by the user' } };
    if (isZerdError(error)) return { outcome: 'failed', body: { kind: 'text', text: error.message } };
    throw error;
  }
};

function describe({ paths, total, near, incomplete }: FindAnswer): string {
  const beyond = total > paths.length ? [`[${paths.length} of ${total} files; narrow the pattern]`] : [];
  const partly = incomplete === undefined ? [] : [`[incomplete: ${incomplete}]`];
  if (paths.length > 0) return [...paths.map(oneLinePath), ...beyond, ...partly].join('\n');
  if (near !== undefined) return ['no files; similar paths:', ...near.map(oneLinePath)].join('\n');
  return partly[0] ?? 'no files (hidden and ignored ones are only found by naming their folder)';
}
