/**
 * The room of outside tools: which MCP servers there are, what they offer, and calls of it. Invariants (I7): nothing is
 * started before the repository is trusted, and nothing that the repository alone names before the user said yes to what
 * stands there now; nothing is loaded, read or started while no server is configured; every wait ends.
 */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readEntries } from '@zerd/core/mcp/entries';
import { entryText } from '@zerd/core/mcp/entry-text';
import type { McpState } from '@zerd/core/mcp/server';
import { ZerdError } from '@zerd/protocol/common/errors';
import { loadLate } from '@zerd/protocol/node/load-late';
import type { McpAnswer, McpCall, McpDesk, McpRow } from '../base/mcp-ports.ts';
import { text } from './answer-of.ts';
import { openApprovals } from './approvals.ts';
import { callTool } from './call-tool.ts';
import { createChildren } from './children.ts';
import type { Connect } from './connection.ts';
import { createFindServers, type FoundServer, type FoundServers, repositoryFile } from './find-servers.ts';
import { openKnownTools } from './known-tools.ts';
import { createLent } from './lent.ts';
import { createLinks } from './links.ts';
import type { McpParts } from './room.ts';

/** What failed is tried again by itself when it is needed after so long. */
const againMs = 60_000;

interface Failure {
  readonly why: string;
  /** In terms of clock.now(). */
  readonly at: number;
}

const loadConnect = loadLate(() => import('./connect.ts'));

export function createMcp(given: McpParts): McpDesk {
  const lent = createLent(given.settings);
  const parts: McpParts = { ...given, settings: lent.settings };
  const { root, stateFolder, clock, log } = parts;
  const approvals = openApprovals(stateFolder, root);
  const find = createFindServers(parts, approvals);
  const knownTools = openKnownTools(join(stateFolder, 'mcp-tools'), log);
  const children = createChildren(parts);
  const failures = new Map<string, Failure>();
  const connect: Connect = async (wish) => (await loadConnect()).connect(wish);
  children.adopt();

  const links = createLinks({
    ...parts,
    children,
    connect,
    find,
    onKnown(server, known) {
      failures.delete(keyOf(server));
      knownTools.keep(server.digest, known, new Set(find().servers.map(({ digest }) => digest)));
    },
    onFailed(server, why, how) {
      const current = new Set(find().servers.map(keyOf));
      for (const key of failures.keys()) if (!current.has(key)) failures.delete(key);
      // What another client's environment may mend is tried again with it.
      failures.set(keyOf(server), { why, at: how === 'unable' ? Number.NEGATIVE_INFINITY : clock.now() });
      log.warn('a server of outside tools could not be used', { server: server.name, why });
    },
  });

  /** What runs and is no longer as it stands there is ended by looking. */
  function look(): FoundServers {
    const found = find();
    links.keepOnly(parts.trusted() ? found.servers : []);
    return found;
  }

  function stateOf(server: FoundServer): McpState {
    if (!parts.trusted()) return { kind: 'failed', why: untrusted };
    if (!server.approved) return { kind: 'unapproved' };
    const known = knownTools.find(server.digest);
    if (known !== undefined) return { kind: 'ready', tools: known.tools, instructions: known.instructions };
    const failure = failures.get(keyOf(server));
    return failure === undefined ? { kind: 'unknown' } : { kind: 'failed', why: failure.why };
  }

  const servers = () => look().servers.map((server) => ({ name: server.name, state: stateOf(server) }));

  function rowOf(server: FoundServer): McpRow {
    const failure = failures.get(keyOf(server));
    return {
      name: server.name,
      source: server.source,
      text: entryText(server.entry),
      digest: server.digest,
      files: [...server.covered].sort(),
      state: stateOf(server),
      connected: links.connected(server),
      ...(links.connecting(server) ? { connecting: true } : {}),
      ...(failure === undefined ? {} : { lastFailure: failure.why }),
      leftOut: knownTools.find(server.digest)?.leftOut ?? [],
    };
  }

  function worthTrying(server: FoundServer): boolean {
    const failure = failures.get(keyOf(server));
    return failure === undefined || clock.now() - failure.at >= againMs;
  }

  async function call(wish: McpCall): Promise<McpAnswer> {
    const server = look().servers.find(({ name }) => name === wish.server);
    if (server === undefined)
      return failed(`There is no MCP server ${JSON.stringify(wish.server)}. Nothing was called.`);
    const state = stateOf(server);
    if (state.kind === 'unapproved' || !parts.trusted())
      return failed(`${notCalled(wish)} ${whyNotStarted(server, state)}`);
    // A second time only where the server forgot the connection, and so did nothing.
    const first = await callOnce(server, wish);
    const answer = first === 'again' ? await callOnce(server, wish) : first;
    return answer === 'again'
      ? failed(`${notCalled(wish)} The server forgets each connection at once (HTTP 404).`)
      : answer;
  }

  async function callOnce(server: FoundServer, wish: McpCall): Promise<McpAnswer | 'again'> {
    const linked = await links.need(server, wish.env, wish.signal);
    if (linked.kind === 'interrupted') return { outcome: 'interrupted', content: [text(notCalled(wish))] };
    if (linked.kind === 'failed')
      return failed(
        `${notCalled(wish)} ${server.name} cannot be reached: ${linked.why}. \`zerd mcp\` shows its state.`,
      );
    using _use = linked.link.use();
    const { tools } = linked.link.known();
    if (!tools.some(({ name }) => name === wish.tool))
      return failed(
        `${notCalled(wish)} ${server.name} has no such tool. It has: ${tools.map(({ name }) => name).join(', ')}.`,
      );
    return await callTool(parts, linked.link, wish);
  }

  return {
    servers: () => (nothingNamed() ? [] : servers()),
    async learn(env, signal) {
      if (nothingNamed()) return [];
      const able = look().servers.filter((server) => stateOf(server).kind !== 'ready' && worthTrying(server));
      const startable = parts.trusted() ? able.filter(({ approved }) => approved) : [];
      await Promise.all(startable.map((server) => links.need(server, env, signal)));
      return servers();
    },
    call,
    list() {
      const { servers: found, faults } = look();
      return { servers: found.map(rowOf), warnings: faults };
    },
    approve(name, digest) {
      if (!parts.trusted())
        throw new ZerdError(
          'untrusted',
          'The repository is not trusted, and nothing of it is started. Nothing was changed.',
        );
      const server = find('anew').servers.find((one) => one.name === name && one.source === 'repository');
      if (server === undefined)
        throw new ZerdError(
          'invalid_params',
          `This repository names no MCP server ${JSON.stringify(name)}. Nothing was changed; see \`zerd mcp\`.`,
        );
      if (server.fault !== undefined)
        throw new ZerdError(
          'invalid_params',
          `${name} ${server.fault}: nobody can say yes to that. Nothing was changed.`,
        );
      if (server.digest !== digest)
        throw new ZerdError(
          'invalid_params',
          `What ${name} is made of is not what you said yes to: it has changed. Nothing was approved; look at it again with \`zerd mcp\`.`,
        );
      approvals.approve(name, digest);
      failures.delete(keyOf(server));
      log.info('a server of outside tools was approved', { server: name, digest });
    },
    revoke(name) {
      const was = approvals.revoke(name);
      look();
      return was;
    },
    async restart(name, env) {
      const server = look().servers.find((one) => one.name === name);
      if (server === undefined)
        throw new ZerdError('invalid_params', `There is no MCP server ${JSON.stringify(name)}; see \`zerd mcp\`.`);
      await links.end(name);
      failures.delete(keyOf(server));
      if (server.approved && parts.trusted()) await links.need(server, env, new AbortController().signal);
    },
    lend(servers, until) {
      const { entries, faults } = readEntries(servers, 'servers');
      lent.add(entries, until, () => void look());
      return faults;
    },
    left: () => children.left(),
    async close() {
      await Promise.all([links.close(), children.close()]);
    },
  };

  /** The usual case: no file and no setting, and nothing more is looked at. */
  function nothingNamed(): boolean {
    return !links.any() && parts.settings().servers.length === 0 && !(parts.trusted() && hasFile());
  }

  function hasFile(): boolean {
    return existsSync(join(root, repositoryFile));
  }

  function whyNotStarted(server: FoundServer, state: McpState): string {
    if (state.kind === 'failed') return `${server.name} is not started: ${state.why}.`;
    const fault = server.fault === undefined ? '' : ` It ${server.fault}.`;
    return `${server.name} waits for the user's word: what the repository's .mcp.json and the files it names say now is not what the user approved.${fault} The user looks at it with \`zerd mcp\` and says yes with \`zerd mcp approve ${server.name}\`.`;
  }
}

const untrusted = 'the repository is not trusted';

function keyOf({ name, digest }: FoundServer): string {
  return `${name} ${digest}`;
}

function notCalled({ server, tool }: McpCall): string {
  return `The tool ${tool} of ${server} was not called.`;
}

function failed(words: string): McpAnswer {
  return { outcome: 'failed', content: [text(words)] };
}
