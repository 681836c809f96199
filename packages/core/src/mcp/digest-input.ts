/** Says what the user's word for an entry holds for, as the text that is hashed. Invariant: two that differ differ in it. */
import type { McpEntry } from './server.ts';

/** `files`: by the path as it is named in the workspace, the hash of the content. */
export function digestInput(entry: McpEntry, files: ReadonlyMap<string, string>): string {
  const how =
    entry.kind === 'stdio'
      ? [entry.kind, entry.command, entry.args, sorted(Object.entries(entry.env))]
      : [entry.kind, entry.url, sorted(Object.entries(entry.headers))];
  return JSON.stringify(['mcp', 1, how, sorted([...files])]);
}

function sorted(pairs: readonly (readonly [string, string])[]) {
  return pairs.toSorted(([a], [b]) => (a < b ? -1 : 1));
}
