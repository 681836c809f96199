/**
 * Reads what somebody wrote down of MCP servers: the user in the configuration, a repository in `.mcp.json`. Invariant:
 * what does not fit is named and left out, and takes no other entry with it; no value of `env` or of a header is named.
 */
import { sanitiseLine } from '@zerd/protocol/common/sanitise';
import type { McpEntry } from './server.ts';

export interface NamedEntry {
  readonly name: string;
  readonly entry: McpEntry;
}

export interface ReadEntries {
  readonly entries: readonly NamedEntry[];
  /** What is wrong, each with its place. */
  readonly faults: readonly string[];
}

/** At most so many of one file. */
const mostServers = 64;
const mostTextOfEntry = 64 * 1024;
const serverName = /^[A-Za-z0-9_-]{1,64}$/;

/** Of the text of a `.mcp.json`. */
export function readRepositoryEntries(text: string): ReadEntries {
  const value = parsed(text);
  if (value === undefined) return { entries: [], faults: ['it is not JSON'] };
  if (!isRecord(value) || !isRecord(value.mcpServers))
    return { entries: [], faults: ['it has no object `mcpServers`'] };
  return readEntries(value.mcpServers, 'mcpServers');
}

/** Of an object of entries by name; `place` is where it stands. */
export function readEntries(servers: Readonly<Record<string, unknown>>, place: string): ReadEntries {
  const all = Object.entries(servers);
  const read = all.slice(0, mostServers).map(([name, value]) => readOne(name, value, place));
  const over = all.length > mostServers ? [`${place} names ${all.length} servers; ${mostServers} are read`] : [];
  return {
    entries: read.flatMap(({ entries }) => entries),
    faults: [...read.flatMap(({ faults }) => faults), ...over],
  };
}

function readOne(name: string, value: unknown, place: string): ReadEntries {
  const at = `${place}.${sanitiseLine(name.slice(0, 80))}`;
  if (!serverName.test(name)) return fault(`${at}: a name is of letters, digits, - and _, 64 at most`);
  if (!isRecord(value)) return fault(`${at} is not an object`);
  const entry = entryOf(value);
  if (typeof entry === 'string') return fault(`${at} ${entry}`);
  if (JSON.stringify(entry).length > mostTextOfEntry)
    return fault(`${at} is longer than ${mostTextOfEntry} characters`);
  if (JSON.stringify(entry).includes('\\u0000')) return fault(`${at} holds a NUL character`);
  const strangers = Object.keys(value).filter((field) => !fieldsOf[entry.kind].has(field));
  const faults = strangers.map((field) => `${at}: the field ${sanitiseLine(field)} is not known and has no effect`);
  return { entries: [{ name, entry }], faults };
}

const fieldsOf: Readonly<Record<McpEntry['kind'], ReadonlySet<string>>> = {
  stdio: new Set(['type', 'command', 'args', 'env']),
  http: new Set(['type', 'url', 'headers']),
};

/** A text: what is wrong. */
function entryOf(value: Readonly<Record<string, unknown>>): McpEntry | string {
  const { type, command, url, args = [], env = {}, headers = {} } = value;
  if (type === 'sse') return 'is reached by the old SSE transport, which zerd does not speak: give its http address';
  if (type !== undefined && (typeof type !== 'string' || !known.has(type)))
    return 'has a type other than stdio and http';
  if ((command === undefined) === (url === undefined)) return 'needs either a command or a url';
  if (url !== undefined) {
    if (type === 'stdio') return 'is of type stdio and has a url';
    if (typeof url !== 'string' || !/^(https?:\/\/|\$\{)/i.test(url))
      return 'has a url that is no http or https address';
    if (/^[a-z]+:\/\/[^/?#]*@/i.test(url)) return 'has a user or a password in its url: put it in a header';
    return isTexts(headers) ? { kind: 'http', url, headers } : 'has headers that are not texts by name';
  }
  if (type !== undefined && type !== 'stdio') return `is of type ${String(type)} and has a command`;
  if (typeof command !== 'string' || command === '') return 'has a command that is no text';
  if (!Array.isArray(args) || !args.every((arg) => typeof arg === 'string'))
    return 'has args that are no list of texts';
  return isTexts(env) ? { kind: 'stdio', command, args, env } : 'has an env that is not texts by name';
}

const known: ReadonlySet<string> = new Set(['stdio', 'http', 'streamable-http', 'streamableHttp']);

function fault(what: string): ReadEntries {
  return { entries: [], faults: [what] };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isTexts(value: unknown): value is Readonly<Record<string, string>> {
  return isRecord(value) && Object.values(value).every((text) => typeof text === 'string');
}
