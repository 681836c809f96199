/**
 * The connections to an address. They are kept for the next request, but never after a silent or broken one: then all
 * idle ones are suspect, and the next attempt gets a new connection (F-02).
 */
import type { Dispatcher } from 'undici';
import type { Network } from '../provider.ts';
import { openAgent } from './network.ts';
import { loadUndici } from './undici.ts';

export interface Connections {
  /** For one request; `connected` is called when a connection takes it. */
  dispatcher(connected: () => void): Promise<Dispatcher>;
  /** Later requests use new connections; running ones go on. */
  renew(): void;
}

const known = new Map<string, Connections>();

/**
 * Those of an address, the same ones for every provider that reaches it the same way: a turn's first request finds the
 * connection of the turn before. No key and no header is part of a connection.
 */
export function connectionsTo(address: string, network?: Network): Connections {
  const way = network === undefined ? address : `${address} ${JSON.stringify(Object.entries(network).sort())}`;
  const found = known.get(way) ?? openConnections(address, network);
  known.set(way, found);
  return found;
}

function openConnections(address: string, network: Network | undefined): Connections {
  let agent: Dispatcher | undefined;
  return {
    async dispatcher(connected) {
      const undici = await loadUndici();
      agent ??= openAgent(undici, address, network);
      return agent.compose((dispatch) => (options, handler) => dispatch(options, announcing(handler, connected)));
    },
    renew() {
      // Ends when the requests that run on it have.
      agent?.close(() => {});
      agent = undefined;
    },
  };
}

/** The same handler, with word of the moment at which a connection takes the request. */
function announcing(handler: Dispatcher.DispatchHandler, connected: () => void): Dispatcher.DispatchHandler {
  return {
    onRequestStart(controller, context) {
      connected();
      handler.onRequestStart?.(controller, context);
    },
    onRequestUpgrade: (...args) => handler.onRequestUpgrade?.(...args),
    onResponseStart: (...args) => handler.onResponseStart?.(...args),
    onResponseData: (...args) => handler.onResponseData?.(...args),
    onResponseEnd: (...args) => handler.onResponseEnd?.(...args),
    onResponseError: (...args) => handler.onResponseError?.(...args),
  };
}
