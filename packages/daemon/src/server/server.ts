/**
 * The server of one house: takes connections and serves them until it is stopped. Invariant: once it is stopping no
 * request begins, and at the end no connection is left.
 */
import { encodeFrame } from '@zerd/protocol/node/framing';
import type { Streams } from '@zerd/protocol/node/link';
import { backlogLimits, createBroadcast } from './broadcast.ts';
import { type Connection, serveConnection } from './connection.ts';
import { createDispatch } from './dispatch.ts';
import { createHandlers } from './handlers.ts';
import type { House } from './house.ts';
import { createPendingNotices } from './pending-notices.ts';

export interface Server {
  /** Serves a client; settles when it has gone. */
  attach(streams: Streams): Promise<void>;
  clients(): number;
  /** From now on every request is refused; running ones go on. */
  refuse(): void;
  /** Ends every connection after what was sent has gone out, or after a grace. */
  close(): Promise<void>;
}

const closeGraceMs = 2_000;

export function createServer(house: House): Server {
  const { store, runner, clock, log } = house;
  const connections = new Set<Connection>();
  let stopping = false;
  let closing = false;
  let lastId = 0;
  const broadcast = createBroadcast(store, runner);
  const pendingNotices = createPendingNotices({ store, runner, broadcast });
  const clients = () => connections.size;
  const handlers = createHandlers({ house, broadcast, clients });
  const progress = house.search.onIndex((report) => {
    const frame = encodeFrame({ jsonrpc: '2.0', method: 'index/progress', params: report });
    for (const { caller } of connections) {
      if (caller.hello && caller.link.backlog() < backlogLimits.deltaBytes) caller.link.send(frame);
    }
  });
  const dispatch = createDispatch({ handlers, log, stopping: () => stopping });

  return {
    clients,
    async attach(streams) {
      if (closing) return void streams.writable.destroy();
      const connection = serveConnection(++lastId, streams, { dispatch, clock, log });
      connections.add(connection);
      await connection.link.closed;
      connections.delete(connection);
      broadcast.drop(connection.caller);
    },
    refuse() {
      stopping = true;
    },
    async close() {
      stopping = true;
      closing = true;
      broadcast[Symbol.dispose]();
      pendingNotices[Symbol.dispose]();
      progress[Symbol.dispose]();
      const open = [...connections].map(({ link }) => link);
      for (const link of open) link.close();
      const grace = clock.setTimer(closeGraceMs, () => open.map((link) => link.destroy()));
      await Promise.all(open.map(({ closed }) => closed));
      grace[Symbol.dispose]();
    },
  };
}
