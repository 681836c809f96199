/** Does: searches file contents through the port. A pattern or path that is refused is a failed result that says why. */
import { isZerdError } from '@zerd/protocol/common/errors';
import type { SearchAnswer, ToolResult, ToolRun } from '../../base/ports.ts';

export const run: ToolRun<'search'> = async (input, { search, signal }) => {
  try {
    return resultOf(await search.search(queryOf(input), signal));
  } catch (error) {
    if (signal.aborted) return { outcome: 'interrupted', body: { kind: 'text', text: 'interrupted by the user' } };
    if (isZerdError(error)) return { outcome: 'failed', body: { kind: 'text', text: error.message } };
    throw error;
  }
};

/** Without the fields that are not set. */
function queryOf({ pattern, path, glob, literal, ignoreCase, context }: Parameters<typeof run>[0]) {
  return {
    pattern,
    ...(path === undefined ? {} : { path }),
    ...(glob === undefined ? {} : { glob }),
    ...(literal === undefined ? {} : { literal }),
    ...(ignoreCase === undefined ? {} : { ignoreCase }),
    ...(context === undefined ? {} : { context }),
  };
}

function resultOf(answer: SearchAnswer): ToolResult {
  if (answer.totalMatches > 0) return { outcome: 'ok', body: { kind: 'hits', answer } };
  const aside = answer.partial === true ? ' (hidden and ignored files were not searched; `path` can name one)' : '';
  const found = answer.incomplete === undefined ? `no matches${aside}` : `nothing found so far: ${answer.incomplete}`;
  return { outcome: 'ok', body: { kind: 'text', text: found } };
}
