/** A daemon in memory: one session's log, connections that can be dropped, and every request on record. */
import { ZerdError } from '@zerd/protocol/common/errors';
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { CallId, RequestId, SessionId, TurnId } from '@zerd/protocol/common/ids';
import type { ZerdClient } from '@zerd/protocol/node/client';
import type { Clock } from '@zerd/protocol/node/clock';
import type { Reach } from '../src/command.ts';
import type { Terminal } from '../src/terminal.ts';
import { zerd } from '../src/zerd.ts';

export const sessionId = 'ses_1' as SessionId;
export const turnId = 'turn_1' as TurnId;
export const requestId = 'req_1' as RequestId;
export const callId = (name: string) => name as CallId;

type Answer = (params: never) => unknown;
type Notice = { readonly method: string; readonly params: unknown };

export interface FakeDaemon {
  readonly requests: { readonly method: string; readonly params: unknown }[];
  /** What is asked when somebody subscribes. */
  asked: readonly object[];
  /** Overrides what a method answers; a thrown ZerdError is its error. */
  on(method: string, answer: Answer): void;
  connect(how: Reach): Promise<ZerdClient>;
  /** Commits events and sends them to whoever has subscribed. */
  append(...events: readonly SessionEvent[]): void;
  /** Commits events that no connection is told of. */
  appendUnseen(...events: readonly SessionEvent[]): void;
  /** Sends a notice to every connection. */
  send(method: string, params: unknown): void;
  /** Closes every connection: pending requests fail, listeners hear no more. */
  drop(): void;
  readonly connected: Reach[];
  readonly open: () => number;
}

interface Connection {
  subscribed: boolean;
  readonly listeners: Map<string, (params: never) => void>;
  readonly close: () => void;
  readonly fail: Set<(error: ZerdError) => void>;
}

/** Connects to these, one after the other and then anew. */
export function inTurn(...daemons: readonly FakeDaemon[]): Pick<FakeDaemon, 'connect'> {
  let next = 0;
  return {
    async connect(how) {
      const daemon = daemons[next++ % daemons.length];
      if (daemon === undefined) throw new Error('no daemons');
      return await daemon.connect(how);
    },
  };
}

export function fakeDaemon(of = 'ses_1'): FakeDaemon {
  const sessionId = of as SessionId;
  const log: { seq: number; at: number; event: SessionEvent }[] = [];
  const requests: FakeDaemon['requests'] = [];
  const answers = new Map<string, Answer>();
  const connections = new Set<Connection>();
  const connected: Reach[] = [];
  const notice = (entry: (typeof log)[number]): Notice => ({
    method: 'session/event',
    params: { sessionId, epoch: 'e1', ...entry },
  });
  const tell = (connection: Connection, { method, params }: Notice) =>
    connection.listeners.get(method)?.(params as never);
  const keep = (event: SessionEvent) => {
    const entry = { seq: log.length + 1, at: 1000 * (log.length + 1), event };
    log.push(entry);
    return entry;
  };
  const defaults: Record<string, Answer> = {
    'session/create': () => ({ sessionId, model: 'sim/sim', mode: 'ask', seq: 1 }),
    'session/list': () => ({ sessions: log.length === 0 ? [] : [{ sessionId, lastSeq: log.length }] }),
    'session/read': () => ({ session: { sessionId, lastSeq: log.length }, pendingApprovals: [], events: [] }),
    'session/setMode': () => ({}),
    'turn/start': () => ({ turnId, seq: log.length }),
    'turn/interrupt': () => ({ interrupted: true }),
    'daemon/status': () => ({ waits: [] }),
  };
  function answer(connection: Connection, method: string, params: unknown): unknown {
    requests.push({ method, params });
    const own = answers.get(method);
    if (own !== undefined) return own(params as never);
    if (method !== 'session/subscribe') return defaults[method]?.(params as never);
    connection.subscribed = true;
    const { after = 0 } = params as { after?: number };
    for (const entry of log.slice(after)) tell(connection, notice(entry));
    return {
      epoch: 'e1',
      syncedAt: log.length,
      session: { sessionId, lastSeq: log.length, state: 'idle' },
      pendingApprovals: daemon.asked,
    };
  }
  const daemon: FakeDaemon = {
    requests,
    asked: [],
    connected,
    open: () => connections.size,
    on: (method, own) => void answers.set(method, own),
    append(...events) {
      for (const entry of events.map(keep))
        for (const connection of connections) if (connection.subscribed) tell(connection, notice(entry));
    },
    appendUnseen: (...events) => void events.map(keep),
    send(method, params) {
      for (const connection of connections) tell(connection, { method, params });
    },
    drop: () => [...connections].forEach((connection) => void connection.close()),
    async connect(how) {
      connected.push(how);
      return openConnection(connections, answer);
    },
  };
  return daemon;
}

function openConnection(
  connections: Set<Connection>,
  answer: (c: Connection, method: string, params: unknown) => unknown,
): ZerdClient {
  let settleClosed = () => {};
  const closed = new Promise<void>((resolve) => {
    settleClosed = resolve;
  });
  const connection: Connection = {
    subscribed: false,
    listeners: new Map(),
    fail: new Set(),
    close() {
      connections.delete(connection);
      for (const fail of connection.fail) fail(new ZerdError('disconnected', 'The connection closed.'));
      connection.listeners.clear();
      settleClosed();
    },
  };
  connections.add(connection);
  const request = (method: string, params: unknown) =>
    new Promise((resolve, reject) => {
      if (!connections.has(connection)) return reject(new ZerdError('disconnected', 'The connection is closed.'));
      connection.fail.add(reject);
      setImmediate(() => {
        if (!connections.has(connection)) return;
        try {
          resolve(answer(connection, method, params));
        } catch (error) {
          reject(error);
        }
      });
    });
  return {
    hello: { protocol: 1, daemon: { version: '0', pid: 1 }, root: '/repo', epoch: 'e1' },
    request: request as ZerdClient['request'],
    onNotice(method, listener) {
      connection.listeners.set(method, listener as (params: never) => void);
      return { [Symbol.dispose]: () => void connection.listeners.delete(method) };
    },
    closed,
    close: connection.close,
  };
}

export interface Screen {
  out: string;
  err: string;
  exits: number[];
  interrupt(): void;
}

/** Runs one `zerd` against a fake daemon. `screen` shows what it wrote so far. */
export function start(
  argv: readonly string[],
  daemon: Pick<FakeDaemon, 'connect'>,
  terminal: Partial<Terminal> & { input?: string; clock?: Clock } = {},
) {
  const listeners = new Set<() => void>();
  const screen: Screen = {
    out: '',
    err: '',
    exits: [],
    interrupt: () => listeners.forEach((listener) => void listener()),
  };
  const { input, clock = stillClock, ...overrides } = terminal;
  const code = zerd(argv, {
    terminal: {
      env: {},
      inputIsTerminal: input === undefined,
      outputIsTerminal: false,
      outputColumns: undefined,
      progressIsTerminal: false,
      cwd: () => '/repo',
      readInput: async () => input ?? '',
      readLine: async () => undefined,
      readSecret: async () => undefined,
      out(text) {
        screen.out += typeof text === 'string' ? text : Buffer.from(text).toString('latin1');
      },
      err(text) {
        screen.err += text;
      },
      outputGone: new AbortController().signal,
      onInterrupt(listener) {
        listeners.add(listener);
        return { [Symbol.dispose]: () => void listeners.delete(listener) };
      },
      exit: (status) => void screen.exits.push(status),
      ...overrides,
    },
    clock,
    connect: daemon.connect,
  });
  return { screen, code };
}

/** Time stands still: sleeps are over at once, timers never fire. */
export const stillClock: Clock = {
  wall: () => 1_000_000,
  now: () => 0,
  setTimer: () => ({ [Symbol.dispose]() {} }),
  sleep: async () => {},
};

/** Lets everything that is ready happen. */
export async function settled(): Promise<void> {
  for (let round = 0; round < 20; round++) await new Promise((resolve) => setImmediate(resolve));
}
