/**
 * Takes a request to its handler: by the method table, with valid parameters, one at a time within the method's scope.
 * Invariant: whatever a client sends, the answer is a result or a ZerdError, and a defect is logged with its stack.
 */

import { toleranceMs } from '@zerd/core/watchdog/stand-still';
import { isZerdError, ZerdError } from '@zerd/protocol/common/errors';
import { type ClientMethod, methods, type ResultInputOf, type ValidParamsOf } from '@zerd/protocol/common/methods';
import { createLocks } from '../base/locks.ts';
import type { Log } from '../base/log.ts';
import type { Caller } from './caller.ts';

export type Handler<M extends ClientMethod> = (
  params: ValidParamsOf<M>,
  caller: Caller,
) => ResultInputOf<M> | Promise<ResultInputOf<M>>;

/** One for every method a client may call: a missing one does not compile. */
export type Handlers = { readonly [M in ClientMethod]: Handler<M> };

export interface DispatchOptions {
  readonly handlers: Handlers;
  readonly log: Log;
  readonly stopping: () => boolean;
  /** Milliseconds that only grow; absent: those of the process. */
  readonly now?: () => number;
}

/** `withdrawn` is asked when the request's turn has come. */
export type Dispatch = (caller: Caller, method: string, params: unknown, withdrawn?: () => boolean) => Promise<unknown>;

/** As late as a look of the clock may be before it is told: see `stand-still`. */
const heldUpMs = toleranceMs;

export function createDispatch({ handlers, log, stopping, now = () => performance.now() }: DispatchOptions): Dispatch {
  const locks = createLocks();

  return async (caller, method, params, withdrawn = () => false) => {
    if (!isClientMethod(method)) throw new ZerdError('unknown_method', `There is no method ${quoted(method)}.`);
    if (stopping()) throw new ZerdError('shutting_down', 'The daemon is stopping; ask again and a new one starts.');
    checkOrder(caller, method);
    const valid = validate(method, params);
    const run = async () => {
      if (withdrawn()) throw new ZerdError('disconnected', 'The request was withdrawn before it began.');
      const begun = now();
      const answer = callHandler(handlers, method, valid, caller);
      const ms = Math.round(now() - begun);
      // Whoever else is connected had to wait so long.
      if (ms > heldUpMs) log.warn('a request held up the event loop', { method, client: caller.id, ms });
      return answer;
    };
    const key = scopeKey(method, valid);
    try {
      return await (key === undefined ? run() : locks.run(key, run));
    } catch (error) {
      if (!isZerdError(error)) log.error('a request failed by a defect', { method, client: caller.id, error });
      throw error;
    }
  };
}

function isClientMethod(name: string): name is ClientMethod {
  return Object.hasOwn(methods, name) && methods[name as keyof typeof methods].direction === 'toDaemon';
}

function checkOrder(caller: Caller, method: ClientMethod): void {
  const isHello = method === 'initialize';
  if (!caller.hello && !isHello && method !== 'daemon/handover')
    throw new ZerdError('not_initialized', 'The first request must be `initialize`.');
  if (caller.hello && isHello) throw new ZerdError('invalid_request', 'This connection is initialized already.');
}

function validate<M extends ClientMethod>(method: M, params: unknown): ValidParamsOf<M> {
  const checked = methods[method].params.safeParse(params ?? {});
  if (checked.success) return checked.data as ValidParamsOf<M>;
  const faults = checked.error.issues.map(({ path, message }) => `${path.join('.') || 'params'}: ${message}`);
  throw new ZerdError('invalid_params', `${method} was not run. ${faults.slice(0, 5).join('; ')}`);
}

function scopeKey(method: ClientMethod, params: object): string | undefined {
  const { scope } = methods[method];
  switch (scope) {
    case 'none':
      return undefined;
    case 'daemon':
      return 'daemon';
    case 'session':
      return 'sessionId' in params ? `session ${params.sessionId}` : 'daemon';
  }
}

async function callHandler<M extends ClientMethod>(
  handlers: Handlers,
  method: M,
  params: ValidParamsOf<M>,
  caller: Caller,
): Promise<ResultInputOf<M>> {
  const handler: Handler<M> = handlers[method];
  return handler(params, caller);
}

function quoted(name: string): string {
  return JSON.stringify(name.slice(0, 100));
}
