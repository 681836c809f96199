/** Serves one client's link: its requests go to dispatch, its failures back as wire errors. */

import type { Clock } from '@zerd/protocol/node/clock';
import { requestLimits } from '@zerd/protocol/node/framing';
import { type Link, openLink, type Streams } from '@zerd/protocol/node/link';
import { toWire } from '@zerd/protocol/node/wire-errors';
import { type CancellationToken, ResponseError } from 'vscode-jsonrpc/node';
import type { Log } from '../base/log.ts';
import type { Caller } from './caller.ts';
import type { Dispatch } from './dispatch.ts';
import { onlyLooks } from './only-looks.ts';

export interface ConnectionParts {
  readonly dispatch: Dispatch;
  readonly clock: Clock;
  readonly log: Log;
}

/** Who connects and does not say `initialize` within this time is let go. */
const helloDeadlineMs = 60_000;
/** Bytes of answers that a client may leave untaken. */
const untakenLimit = 128 * 1024 * 1024;

export interface Connection {
  readonly caller: Caller;
  readonly link: Link;
}

export function serveConnection(id: number, streams: Streams, { dispatch, clock, log }: ConnectionParts): Connection {
  const link = openLink(streams, {
    limits: requestLimits,
    onRefused: (error) => log.warn('a message was refused', { client: id, error }),
    logger: jsonRpcLogger(id, log),
  });
  const caller: Caller = { id, link };
  link.rpc.onRequest(async (method: string, params: unknown, token: CancellationToken) => {
    const withdrawn = () => token.isCancellationRequested || (!link.heard && onlyLooks(method));
    try {
      return await dispatch(caller, method, params, withdrawn);
    } catch (error) {
      const { code, message, data } = toWire(error);
      throw new ResponseError(code, message, data);
    } finally {
      if (caller.hello) silent[Symbol.dispose]();
      if (link.backlog() > untakenLimit) link.destroy();
    }
  });
  const silent = clock.setTimer(helloDeadlineMs, () => {
    if (!caller.hello) link.destroy();
  });
  void link.closed.then(() => silent[Symbol.dispose]());
  link.rpc.listen();
  return { caller, link };
}

/** vscode-jsonrpc tells here what it could not deliver; its texts may hold what a client sent and are shortened. */
function jsonRpcLogger(client: number, log: Log) {
  const tell = (message: string) => log.warn('json-rpc', { client, message: message.slice(0, 200) });
  return { error: tell, warn: tell, info() {}, log() {} };
}
