/** Does on the socket what a plan says. Settles when the answer ended or the client went away. */

import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import type { Plan } from './plan.ts';

/** True: everything was written and handed over. */
export async function perform(plan: Plan, response: ServerResponse): Promise<boolean> {
  response.socket?.setNoDelay(true);
  response.flushHeaders();
  for (const bytes of plan.writes) {
    if (response.destroyed) return false;
    if (!response.write(bytes)) await drained(response);
    if (plan.everyMs > 0) await pause(plan.everyMs);
    else if (plan.writes.length > 1) await nextTurn();
  }
  return finish(plan.ending, response);
}

/** Sends a whole body. */
export function performWhole(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string,
): Promise<boolean> {
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
  response.write(body);
  return finish('end', response);
}

async function finish(ending: Plan['ending'], response: ServerResponse): Promise<boolean> {
  if (ending === 'end') return ended(response);
  if (ending === 'reset') await reset(response);
  else await closed(response, ending === 'silence' ? undefined : ending);
  return false;
}

/** Nothing is written any more; with `pings`, only those, until the client goes away. */
export function closed(
  response: ServerResponse,
  pings?: { readonly ping: Buffer; readonly everyMs: number },
): Promise<void> {
  const timer = pings === undefined ? undefined : setInterval(() => response.write(pings.ping), pings.everyMs);
  return new Promise((resolve) => {
    const done = () => {
      clearInterval(timer);
      resolve();
    };
    if (response.destroyed) done();
    else response.once('close', done);
  });
}

/** Destroys the socket once what was written is on its way. */
async function reset(response: ServerResponse): Promise<void> {
  await new Promise((resolve) => response.write('', resolve));
  response.destroy();
}

function ended(response: ServerResponse): Promise<boolean> {
  return new Promise((resolve) => {
    response.once('finish', () => resolve(true));
    response.once('close', () => resolve(response.writableFinished));
    response.end();
  });
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.once('drain', done).once('close', done);
  });
}
