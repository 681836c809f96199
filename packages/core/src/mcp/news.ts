/**
 * Decides what of the servers is news to the model: one that it was not told of, another state, tools that came, changed
 * or went. Invariant: what it knows is not told again; of a server that nobody has approved it is told nothing, unless it
 * was told of it before. One that changes without end costs no more and more: it is told of in few words, then no longer.
 */
import type { McpServer, McpState, McpTool } from './server.ts';
import { signatureOf, toolName } from './signature.ts';
import type { TellingOfServer, ToldServer, ToldServers } from './told.ts';

/** From all to least: what the model is told of tools. */
export type Level = 'described' | 'signatures' | 'names' | 'count';

export interface ServerNews {
  readonly name: string;
  readonly state: TellingOfServer['state'];
  /** Of a failure. */
  readonly why: string;
  /** It said something else of itself before. */
  readonly again: boolean;
  /** To be told: all of its tools, or those that are new or changed. */
  readonly tools: readonly McpTool[];
  readonly whole: boolean;
  readonly gone: readonly string[];
  /** All that it has now; undefined: what was told of its tools stands. */
  readonly all: readonly McpTool[] | undefined;
  /** As the model knows those that it was told of. */
  readonly knownBy: Level;
  /** It has changed so often that its tools are only counted. */
  readonly restless: boolean;
}

const mostTellings = 10;
const silentAfter = 30;

export function newsOfServers(servers: readonly McpServer[], told: ToldServers): readonly ServerNews[] {
  const now = new Map(servers.map((server) => [server.name, server.state]));
  const names = [...new Set([...now.keys(), ...told.keys()])];
  return names.flatMap((name) => newsOf(name, now.get(name), told.get(name)) ?? []);
}

/** As the model is told them. */
export function knownTools(tools: readonly McpTool[], by: NonNullable<ToldServer['tools']>['by']): readonly string[] {
  if (by === 'count') return [];
  return tools.map((tool) => (by === 'names' ? toolName(tool.name) : signatureOf(tool)));
}

function newsOf(name: string, now: McpState | undefined, told: ToldServer | undefined): ServerNews | undefined {
  const state = now?.kind ?? 'gone';
  const nothing: ServerNews = {
    name,
    state,
    why: '',
    again: false,
    tools: [],
    whole: false,
    gone: [],
    all: undefined,
    knownBy: 'described',
    restless: told !== undefined && told.times >= mostTellings,
  };
  if (told !== undefined && told.times >= silentAfter) return undefined;
  if (now?.kind === 'ready')
    return readyNews({ ...nothing, again: told !== undefined && told.state !== 'ready' }, now.tools, told);
  const isTold = told === undefined ? state === 'gone' || state === 'unapproved' : told.state === state;
  // One of which nothing is known now is what it was: a call connects it.
  if (isTold || (state === 'unknown' && told !== undefined)) return undefined;
  return { ...nothing, why: now?.kind === 'failed' ? now.why : '' };
}

function readyNews(news: ServerNews, given: readonly McpTool[], told: ToldServer | undefined): ServerNews | undefined {
  const all = [...new Map(given.map((tool) => [tool.name, tool])).values()];
  const known = told?.tools;
  if (known === undefined) return { ...news, again: false, tools: all, whole: true, all };
  const { tools, gone, isSame } = differences(all, known);
  if (isSame) return news.again ? news : undefined;
  return { ...news, tools, gone, all, knownBy: known.by };
}

function differences(all: readonly McpTool[], { by, tools: before, count }: NonNullable<ToldServer['tools']>) {
  if (by === 'count') return { tools: all, gone: [], isSame: all.length === count };
  const words = knownTools(all, by);
  const had = new Set(before);
  const names = new Set(all.map((tool) => toolName(tool.name)));
  const tools = all.filter((_, at) => !had.has(words[at] ?? ''));
  const gone = before.map(nameIn).filter((name) => !names.has(name));
  return { tools, gone, isSame: tools.length === 0 && gone.length === 0 };
}

/** What a signature begins with: the name, quoted where it is no plain word. */
function nameIn(told: string): string {
  return /^(?:"(?:[^"\\]|\\.)*"|[^(]*)/.exec(told)?.[0] ?? told;
}
