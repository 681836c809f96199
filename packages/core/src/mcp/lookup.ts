/**
 * Finds tools by words, the best first, and words them within its bytes: with description and schema while they fit, then
 * by signature, then counted. A name, alone or as server/name, finds just that; the name of a server all that it has.
 */
import { utf8Length } from '../text/utf8.ts';
import { shortText } from './plain-text.ts';
import { schemaText } from './schema-text.ts';
import type { McpServer, McpTool } from './server.ts';
import { signatureOf } from './signature.ts';

export interface FoundTool {
  readonly server: string;
  readonly tool: McpTool;
}

export function findTools(servers: readonly McpServer[], words: string): readonly FoundTool[] {
  const all = servers.flatMap(({ name, state }) =>
    state.kind === 'ready' ? state.tools.map((tool) => ({ server: name, tool })) : [],
  );
  const wanted = words.trim().toLowerCase();
  const exact = all.filter(({ server, tool }) =>
    [tool.name, `${server}/${tool.name}`].some((name) => name.toLowerCase() === wanted),
  );
  if (exact.length > 0) return exact;
  const ofServer = all.filter(({ server }) => server.toLowerCase() === wanted);
  return ofServer.length > 0 ? ofServer : byWords(all, wordsOf(wanted));
}

function byWords(all: readonly FoundTool[], words: readonly string[]): readonly FoundTool[] {
  if (words.length === 0) return all;
  const scored = all.map((found) => ({ found, score: scoreOf(found, words) }));
  const least = Math.max(1, ...scored.map(({ score }) => score / 2));
  // Those of equal worth stay as the servers have them.
  return scored
    .filter(({ score }) => score >= least)
    .toSorted((a, b) => b.score - a.score)
    .map(({ found }) => found);
}

function scoreOf({ server, tool }: FoundTool, words: readonly string[]): number {
  const name = wordsOf(tool.name);
  const said = new Set(wordsOf(tool.description));
  const parameters = new Set(Object.keys((tool.inputSchema.properties as object | undefined) ?? {}).flatMap(wordsOf));
  return words.reduce((sum, word) => {
    if (name.includes(word)) return sum + 8;
    if (name.some((part) => part.startsWith(word) || (part.length > 2 && word.startsWith(part)))) return sum + 5;
    if (server.toLowerCase() === word) return sum + 3;
    return sum + (said.has(word) ? 2 : 0) + (parameters.has(word) ? 1 : 0);
  }, 0);
}

function wordsOf(text: string): readonly string[] {
  return (
    text
      .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

/** What a server says of itself, in front of its tools; '' when it says nothing, or `words` are not its name. */
export function instructionsOf(servers: readonly McpServer[], words: string): string {
  const named = servers.find(({ name }) => name.toLowerCase() === words.trim().toLowerCase());
  const said = named?.state.kind === 'ready' ? shortText(named.state.instructions, longestDescription) : '';
  return said === '' ? '' : `${named?.name} says: ${said}`;
}

const longestDescription = 1_000;
const schemaBytes = 2_500;

export function foundText(found: readonly FoundTool[], bytes: number): string {
  const lines: string[] = [];
  let left = bytes - 80;
  let by: (one: FoundTool) => string = wholeText;
  for (const [at, one] of found.entries()) {
    let text = by(one);
    if (at > 0 && utf8Length(text) > left) {
      by = shortLine;
      text = by(one);
      if (utf8Length(text) > left)
        return [...lines, `and ${found.length - at} more: use more words, or server/name`].join('\n');
    }
    lines.push(text);
    left -= utf8Length(text) + 1;
  }
  return lines.join('\n');
}

function shortLine({ server, tool }: FoundTool): string {
  return `${server}/${signatureOf(tool)}`;
}

function wholeText({ server, tool }: FoundTool): string {
  const description = shortText(tool.description, longestDescription);
  return [
    `${server}/${tool.name}`,
    ...(description === '' ? [] : [description]),
    schemaText(tool.inputSchema, schemaBytes),
  ].join('\n');
}

/** The names that come nearest to one that does not exist, as they are called. */
export function nearestTools(servers: readonly McpServer[], asked: string): readonly string[] {
  const name = asked.slice(asked.indexOf('/') + 1);
  return findTools(servers, name)
    .slice(0, 5)
    .map(({ server, tool }) => `${server}/${tool.name}`);
}
