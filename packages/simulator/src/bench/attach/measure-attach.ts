/**
 * Lets clients come to one session and leave it while it grows and others stream beside it, and times what they wait for
 * beside a bare JSON-RPC echo. Invariant: gateway, echo and stopwatch are processes of their own, so that what is
 * measured is the built daemon and no work of the bench.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { SessionId } from '@zerd/protocol/common/ids';
import type { ZerdClient } from '@zerd/protocol/node/client';
import { connectOrSpawn } from '@zerd/protocol/node/connect-or-spawn';
import { connectionOf } from '../bench-connection.ts';
import { runZerd } from '../daemon-program.ts';
import { configure } from '../drive-zerd.ts';
import { makeBenchFolder } from '../private-folder.ts';
import { type Followed, follow } from './follower.ts';
import { percentile } from './percentile.ts';
import { growing, streaming } from './player.ts';
import { beginProgram } from './program.ts';
import type { Timed } from './stopwatch-program.ts';

/** The last line of the bench. Times are what a client waits, its own work included. */
export interface AttachFigures {
  readonly bench: 'attach';
  /** Every client heard every event of the session, in the same order. */
  readonly orderHashesEqual: boolean;
  /** From nothing to connected, with all that was missed. */
  readonly attachP50Ms: number;
  readonly attachP99Ms: number;
  readonly rpcP99Ms: number;
  readonly loopLagP99Ms: number;
  readonly echoP99Ms: number;
  readonly daemonRssMb: number;
}

export interface AttachWish {
  readonly events: number;
  readonly clients: number;
  readonly sessions: number;
  readonly tell: (line: string) => void;
}

export async function measureAttach({ events, clients, sessions, tell }: AttachWish): Promise<AttachFigures> {
  const folder = makeBenchFolder('attach', new Map([['a.txt', 'One line.\n'.repeat(20)]]));
  const gateway = await beginProgram('gateway-program', []);
  const echo = await beginProgram('echo-program', [`${folder.runtime}/echo.sock`]);
  const connect = () => connectOrSpawn(connectionOf(folder));
  try {
    configure(folder, { wire: 'anthropic', baseUrl: gateway.said });
    const first = await connect();
    for (let n = 0; n < sessions; n++) await begin(first, `${streaming} ${n}`, true);
    const grown = await begin(first, growing, false);
    await warm(connect, grown);
    await first.request('daemon/status', { loopLag: true });
    const stopwatch = await beginProgram('stopwatch-program', [JSON.stringify(connectionOf(folder)), grown, echo.said]);
    const over = untilGrown(first, grown, events, tell);
    const followers = await Promise.all(
      Array.from({ length: clients }, (_, n) => follow({ connect, sessionId: grown, seed: n + 1, over })),
    );
    const timed = JSON.parse(await stopwatch.end()) as Timed;
    const { loopLagP99Ms = 0, rssBytes } = await first.request('daemon/status', { loopLag: true });
    tell(`loop lag of the bare echo: p99 ${await echo.end()} ms`);
    first.close();
    return figuresOf({ followers, timed, loopLagP99Ms, rssBytes, tell });
  } finally {
    await runZerd(folder, 'zerd', ['rpc', 'daemon/shutdown', '{"force":true}']).catch(() => undefined);
    await Promise.all([gateway.end(), echo.end()]);
    folder.remove();
  }
}

/** A turn that does not end by itself. */
async function begin(client: ZerdClient, text: string, heard: boolean): Promise<SessionId> {
  const { sessionId } = await client.request('session/create', { mode: 'full', trust: true });
  if (heard) await client.request('session/subscribe', { sessionId, deltas: true });
  await client.request('turn/start', { sessionId, text, trust: true });
  return sessionId;
}

/** What a daemon does for the first time it does slowly. */
async function warm(connect: () => Promise<ZerdClient>, sessionId: SessionId): Promise<void> {
  for (let n = 0; n < 5; n++) {
    const client = await connect();
    await client.request('session/subscribe', { sessionId });
    client.close();
  }
}

/** Aborts when the session holds so many events and its turn has ended. */
function untilGrown(client: ZerdClient, sessionId: SessionId, events: number, tell: AttachWish['tell']): AbortSignal {
  const over = new AbortController();
  void (async () => {
    for (let looks = 0; ; looks++) {
      await pause(250);
      const { session } = await client.request('session/read', { sessionId, limit: 1 });
      if (looks % 20 === 0) tell(`${session.lastSeq} events`);
      if (session.lastSeq >= events) break;
    }
    await client.request('turn/interrupt', { sessionId });
    over.abort();
  })().catch((error: unknown) => over.abort(error));
  return over.signal;
}

interface Measured {
  readonly followers: readonly Followed[];
  readonly timed: Timed;
  readonly loopLagP99Ms: number;
  readonly rssBytes: number;
  readonly tell: (line: string) => void;
}

function figuresOf({ followers, timed, loopLagP99Ms, rssBytes, tell }: Measured): AttachFigures {
  const attaches = followers.flatMap(({ attachMs }) => attachMs);
  const replayed = followers.reduce((sum, one) => sum + one.replayed, 0);
  const { rpc, echo } = timed;
  tell(`${attaches.length} attaches, ${Math.round(replayed / attaches.length)} events replayed each`);
  tell(
    `rpc  ${rpc.length}: p50 ${percentile(rpc, 0.5)} ms, p99 ${percentile(rpc, 0.99)} ms, p99.9 ${percentile(rpc, 0.999)} ms`,
  );
  tell(`echo ${echo.length}: p50 ${percentile(echo, 0.5)} ms, p99 ${percentile(echo, 0.99)} ms`);
  return {
    bench: 'attach',
    orderHashesEqual: new Set(followers.map(({ hash }) => hash)).size === 1 && followers.every(({ whole }) => whole),
    attachP50Ms: percentile(attaches, 0.5),
    attachP99Ms: percentile(attaches, 0.99),
    rpcP99Ms: percentile(rpc, 0.99),
    loopLagP99Ms,
    echoP99Ms: percentile(echo, 0.99),
    daemonRssMb: Math.round(rssBytes / 1e5) / 10,
  };
}
