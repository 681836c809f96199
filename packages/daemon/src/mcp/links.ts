/**
 * Keeps the connections to servers: one for each server as it is filled in, begun with the first need, shared by all who
 * need it, let go when nobody has for ten minutes. Invariants: what a server was started as is what stands there now and
 * what the user said yes to, or it is ended; nothing outlives `close`.
 */
import type { McpEnv } from '../base/mcp-ports.ts';
import type { Connection } from './connection.ts';
import { plainWords } from './failure-text.ts';
import type { FindServers, FoundServer } from './find-servers.ts';
import type { Known } from './known-tools.ts';
import { type LinkParts, listWithin, openLink } from './open-link.ts';
import { type Prepared, prepare } from './prepare.ts';

export interface Link {
  readonly connection: Connection;
  readonly secrets: readonly string[];
  /** What it offers now. */
  known(): Known;
  /** It is needed until disposed. */
  use(): Disposable;
  /** It serves nobody any more: the next need begins anew. */
  drop(): void;
}

export type Linked =
  | { readonly kind: 'linked'; readonly link: Link }
  | { readonly kind: 'failed'; readonly why: string }
  | { readonly kind: 'interrupted' };

export interface Links {
  /** Settles at once when the signal is aborted; what has begun goes on for others. Never rejects. */
  need(server: FoundServer, env: McpEnv, signal: AbortSignal): Promise<Linked>;
  connected(server: FoundServer): boolean;
  /** It was begun, and its tools are not listed yet. */
  connecting(server: FoundServer): boolean;
  /** Something runs. */
  any(): boolean;
  /** Ends those that are none of `servers` as they stand now. */
  keepOnly(servers: readonly FoundServer[]): void;
  end(name: string): Promise<void>;
  close(): Promise<void>;
}

export interface LinksParts extends LinkParts {
  readonly find: FindServers;
  readonly onKnown: (server: FoundServer, known: Known) => void;
  /** `unable`: in this environment; nothing was tried. */
  readonly onFailed: (server: FoundServer, why: string, how?: 'unable') => void;
}

interface Held {
  readonly server: FoundServer;
  readonly abort: AbortController;
  readonly ready: Promise<Linked>;
  connection: Connection | undefined;
  known: Known;
  users: number;
  idle: Disposable | undefined;
}

const nothingKnown: Known = { tools: [], leftOut: [], instructions: '' };
const idleMs = 10 * 60_000;
/** A server that tells of changes without end is asked no more often. */
const refreshMs = 5_000;

export function createLinks(parts: LinksParts): Links {
  const held = new Map<string, Held>();
  const ending = new Set<Promise<void>>();

  function letGo(key: string, one: Held): Promise<void> {
    if (held.get(key) === one) held.delete(key);
    one.idle?.[Symbol.dispose]();
    one.abort.abort();
    const end = (async () => {
      await one.ready;
      await one.connection?.close();
    })().finally(() => ending.delete(end));
    ending.add(end);
    return end;
  }

  function restWhenIdle(key: string, one: Held): void {
    one.idle?.[Symbol.dispose]();
    if (one.users === 0) one.idle = parts.idleClock.setTimer(idleMs, () => void letGo(key, one));
  }

  function linkOf(key: string, one: Held, connection: Connection, secrets: readonly string[]): Link {
    return {
      connection,
      secrets,
      known: () => one.known,
      use() {
        one.users += 1;
        one.idle?.[Symbol.dispose]();
        return {
          [Symbol.dispose]() {
            one.users -= 1;
            if (held.get(key) === one) restWhenIdle(key, one);
          },
        };
      },
      drop: () => void letGo(key, one),
    };
  }

  function note(one: Held, known: Known): void {
    one.known = known;
    parts.onKnown(one.server, known);
  }

  /** Once more behind the last change, and not while it is being looked. */
  function refresher(one: Held): () => void {
    let again: 'no' | 'looking' | 'later' = 'no';
    const look = async () => {
      again = 'looking';
      const known = one.connection && (await listWithin(parts, one.connection, one.abort.signal));
      if (known !== undefined && typeof known !== 'string') note(one, known);
      const wanted = (again as string) === 'later';
      again = 'no';
      if (wanted && !one.abort.signal.aborted) parts.clock.setTimer(refreshMs, () => void look());
    };
    return () => {
      if (again === 'no') void look();
      else again = 'later';
    };
  }

  function begin(key: string, server: FoundServer, env: McpEnv, ready: Exclude<Prepared, { kind: 'unable' }>): Held {
    const abort = new AbortController();
    let refresh = () => {};
    const start = async (): Promise<Linked> => {
      const wish = { server, env, prepared: ready, onToolsChanged: () => refresh(), signal: abort.signal };
      const opened = await openLink(parts, wish);
      if (opened.kind === 'failed') {
        if (held.get(key) === one) held.delete(key);
        parts.onFailed(server, opened.why);
        return opened;
      }
      const { connection, known } = opened;
      one.connection = connection;
      refresh = refresher(one);
      note(one, known);
      void connection.ended.then((why) => {
        if (held.get(key) !== one) return;
        parts.log.info('a server of outside tools has ended', {
          server: server.name,
          why: plainWords(why, ready.secrets),
        });
        void letGo(key, one);
      });
      restWhenIdle(key, one);
      return { kind: 'linked', link: linkOf(key, one, connection, ready.secrets) };
    };
    const begun = Promise.resolve().then(start);
    const one: Held = {
      ...{ server, abort, ready: begun, known: nothingKnown },
      ...{ connection: undefined, users: 0, idle: undefined },
    };
    held.set(key, one);
    return one;
  }

  return {
    need(server, env, signal) {
      const ready = prepare(server, env, parts);
      if (ready.kind === 'unable') {
        parts.onFailed(server, ready.why, 'unable');
        return Promise.resolve({ kind: 'failed', why: ready.why });
      }
      const key = JSON.stringify([server.name, server.digest, ready.entry]);
      const running = held.get(key);
      if (running === undefined && !stillSo(server, parts.find('anew').servers))
        return Promise.resolve({ kind: 'failed', why: 'what it is made of changed this very moment' });
      const one = running ?? begin(key, server, env, ready);
      return untilAborted(one.ready, signal);
    },
    connected: (server) => [...held.values()].some((one) => isSame(one.server, server) && one.connection !== undefined),
    connecting: (server) =>
      [...held.values()].some((one) => isSame(one.server, server) && one.connection === undefined),
    any: () => held.size > 0,
    keepOnly(servers) {
      for (const [key, one] of held) if (!stillSo(one.server, servers)) void letGo(key, one);
    },
    async end(name) {
      await Promise.all([...held].filter(([, one]) => one.server.name === name).map(([key, one]) => letGo(key, one)));
    },
    async close() {
      for (const [key, one] of held) void letGo(key, one);
      await Promise.all(ending);
    },
  };
}

function stillSo(server: FoundServer, servers: readonly FoundServer[]): boolean {
  return servers.some((one) => isSame(one, server) && one.approved);
}

function isSame(a: FoundServer, b: FoundServer): boolean {
  return a.name === b.name && a.source === b.source && a.digest === b.digest;
}

function untilAborted(ready: Promise<Linked>, signal: AbortSignal): Promise<Linked> {
  return new Promise((resolve) => {
    const aborted = () => resolve({ kind: 'interrupted' });
    if (signal.aborted) return aborted();
    signal.addEventListener('abort', aborted, { once: true });
    void ready.then((linked) => {
      signal.removeEventListener('abort', aborted);
      resolve(linked);
    });
  });
}
