/**
 * Decides, right before a server is started, what exactly is started: the entry filled in from the client's environment,
 * its program found. Invariant (S-27): of a repository's server no file of the workspace runs that the user's word does not
 * cover, also where a variable or a search path leads to it.
 */
import { fillIn } from '@zerd/core/mcp/fill-in';
import type { McpEntry } from '@zerd/core/mcp/server';
import type { McpEnv } from '../base/mcp-ports.ts';
import { isSecretName } from '../base/secret-names.ts';
import { commandEnv } from '../processes/command-env.ts';
import { findProgram } from '../processes/find-program.ts';
import type { FoundServer } from './find-servers.ts';
import { below, filesNamedBy, realOf } from './named-files.ts';
import type { McpParts } from './room.ts';

export type Prepared =
  | {
      readonly kind: 'stdio';
      readonly program: string;
      readonly entry: Extract<McpEntry, { kind: 'stdio' }>;
      readonly env: Readonly<Record<string, string>>;
      readonly secrets: readonly string[];
    }
  | {
      readonly kind: 'http';
      readonly entry: Extract<McpEntry, { kind: 'http' }>;
      readonly secrets: readonly string[];
    }
  /** Another environment may mend it, which may come with the next client. */
  | { readonly kind: 'unable'; readonly why: string };

export function prepare(server: FoundServer, env: McpEnv, { root, toolEnv }: McpParts): Prepared {
  const theirs = server.source === 'repository';
  const filled = fillIn(server.entry, (name) => (theirs && isSecretName(name) ? undefined : env[name]));
  if (filled.kind === 'missing') return { kind: 'unable', why: missing(filled.names) };
  const { entry, secrets } = filled;
  if (entry.kind === 'http') return isPlainHttp(entry.url) ? { kind: 'http', entry, secrets } : unableUrl;
  const uncovered = theirs ? filesNamedBy(entry, root).find((path) => !server.covered.has(path)) : undefined;
  if (uncovered !== undefined) return { kind: 'unable', why: beyond(uncovered, 'through a variable') };
  const childEnv = { ...commandEnv(toolEnv(env)), ...entry.env };
  const program = findProgram(entry.command, childEnv.PATH ?? '/usr/bin:/bin', root);
  if (program === undefined)
    return { kind: 'unable', why: `there is no program ${JSON.stringify(entry.command)} that may be run` };
  const inside = insideOf(root, program);
  if (theirs && inside !== undefined && !server.covered.has(inside))
    return { kind: 'unable', why: beyond(inside, 'by the search path') };
  return { kind: 'stdio', program, entry, env: childEnv, secrets };
}

function missing(names: readonly string[]): string {
  return `${names.map((name) => `\${${name}}`).join(', ')} is not set in the environment of this client, or may not be given to a repository's server; set it and start the client again`;
}

function beyond(path: string, how: string): string {
  return `it would run ${JSON.stringify(path)} of the workspace, which it finds ${how} and which the approval does not cover; name that file itself in the entry`;
}

const unableUrl: Prepared = {
  kind: 'unable',
  why: 'its url, as filled in, is no http or https address without user or password',
};

function isPlainHttp(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return (protocol === 'http:' || protocol === 'https:') && username === '' && password === '';
}

/** By the path at which it is named, else by where a link leads. */
function insideOf(root: string, file: string): string | undefined {
  return below(root, file) ?? below(root, realOf(file));
}
