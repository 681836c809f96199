/**
 * A typed client of one daemon over one link. Invariant: every request settles, at the latest when the link ends, and
 * rejects only with a ZerdError (or with the reason of the caller's own signal).
 */
import { type CancellationToken, CancellationTokenSource } from 'vscode-jsonrpc/node';
import { ZerdError } from '../common/errors.ts';
import type { ClientMethod, DaemonNotice, ParamsOf, ResultOf, ValidParamsOf } from '../common/methods.ts';
import { protocolRange } from '../common/version.ts';
import type { Clock } from './clock.ts';
import { answerLimits, requestLimits } from './framing.ts';
import { type Link, openLink, type Streams } from './link.ts';
import { fromWire } from './wire-errors.ts';

export type NoticeParamsOf<M extends DaemonNotice> = ValidParamsOf<M>;

export interface ZerdClient {
  readonly hello: ResultOf<'initialize'>;
  /** Rejects with ZerdError; aborted, with the signal's reason, and a request that has not begun is withdrawn. */
  request<M extends ClientMethod>(
    method: M,
    params: ParamsOf<M>,
    options?: { signal?: AbortSignal },
  ): Promise<ResultOf<M>>;
  /** Calls for each notice from now on, in order. Set listeners before subscribing. */
  onNotice<M extends DaemonNotice>(method: M, listener: (params: NoticeParamsOf<M>) => void): Disposable;
  /** Settles when the connection is gone; of a private daemon, when it has ended. */
  readonly closed: Promise<void>;
  close(): void;
}

export interface Hello {
  readonly client: { readonly name: string; readonly version: string };
  readonly env: Readonly<Record<string, string>>;
  readonly clock: Clock;
  /** What this build can speak; absent: the usual. */
  readonly protocol?: { readonly min: number; readonly max: number };
  /** Silence is not absence: a busy daemon is waited for as long. */
  readonly deadlineMs: number;
}

/** Opens the connection with `initialize`. Rejects with ZerdError and leaves nothing open. */
export async function openClient(streams: Streams, hello: Hello, gone?: Promise<void>): Promise<ZerdClient> {
  const link = openLink(streams, { limits: answerLimits });
  const notices = listenForNotices(link);
  link.rpc.listen();
  const request = requester(link);
  try {
    const { client, env, protocol = protocolRange } = hello;
    const answer = request('initialize', { protocol, client, env });
    return {
      hello: await within(answer, hello),
      request,
      onNotice: notices,
      closed: gone ?? link.closed,
      close: link.close,
    };
  } catch (error) {
    link.destroy();
    throw error;
  }
}

/** Asks a daemon with which no protocol version is shared to make room; whether it does. Leaves nothing open. */
export async function askForHandover(streams: Streams, hello: Hello): Promise<boolean> {
  const link = openLink(streams, { limits: answerLimits });
  link.rpc.listen();
  try {
    const answer = requester(link)('daemon/handover', { version: hello.client.version });
    return (await within(answer, hello)).stopping;
  } catch {
    // It is too old to know the request, or is ending already.
    return false;
  } finally {
    link.close();
  }
}

function requester(link: Link): ZerdClient['request'] {
  return (method, params, { signal } = {}) =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      refuseOversize(params);
      const source = new CancellationTokenSource();
      const onAbort = () => {
        source.cancel();
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      void send(link, method, params, source.token)
        .then(resolve, (error) => reject(fromWire(error)))
        .finally(() => signal?.removeEventListener('abort', onAbort));
    });
}

/** `sendRequest` throws at once when the link has ended. */
async function send<M extends ClientMethod>(link: Link, method: M, params: ParamsOf<M>, token: CancellationToken) {
  return link.rpc.sendRequest<ResultOf<M>>(method, params, token);
}

/** The daemon would close the connection on it. */
function refuseOversize(params: unknown): void {
  const bytes = Buffer.byteLength(JSON.stringify(params));
  const most = requestLimits.messageBytes - 1024;
  if (bytes > most) throw new ZerdError('message_too_large', `The request has ${bytes} bytes; ${most} are taken.`);
}

function listenForNotices(link: Link): ZerdClient['onNotice'] {
  const listeners = new Map<string, Set<(params: never) => void>>();
  link.rpc.onNotification((method: string, params: unknown) => {
    for (const listener of listeners.get(method) ?? []) callSafely(listener, params as never);
  });
  return (method, listener) => {
    const set = listeners.get(method) ?? new Set();
    listeners.set(method, set.add(listener));
    return { [Symbol.dispose]: () => void set.delete(listener) };
  };
}

/** One listener's defect does not keep a notice from the others, but it is not hidden either. */
function callSafely(listener: (params: never) => void, params: never): void {
  try {
    listener(params);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

function within<T>(answer: Promise<T>, { clock, deadlineMs }: Hello): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = clock.setTimer(deadlineMs, () => reject(busy(deadlineMs)));
    void answer.then(resolve, reject).finally(() => timer[Symbol.dispose]());
  });
}

function busy(deadlineMs: number): ZerdError {
  const seconds = Math.round(deadlineMs / 1000);
  return new ZerdError(
    'daemon_unavailable',
    `The daemon is there but has not answered for ${seconds} s. It was left alone; try again, or end it with \`zerdd stop --force\`.`,
  );
}
