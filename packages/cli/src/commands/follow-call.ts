/**
 * A call whose session is followed: its answer, then what happens there, the protocol's own notices one a line. Invariant:
 * every event from the call on is told, behind the answer, whichever came first.
 */
import { isZerdError } from '@zerd/protocol/common/errors';
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { SessionId, TurnId } from '@zerd/protocol/common/ids';
import type { ClientMethod, ParamsOf } from '@zerd/protocol/common/methods';
import { safeJson } from '@zerd/protocol/common/sanitise';
import type { ZerdClient } from '@zerd/protocol/node/client';
import { type Follower, follow } from '@zerd/protocol/node/follow';
import type { Context } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import type { OptionValues } from '../options.ts';
import { createConversation } from '../session/conversation.ts';

export type FollowOptions = OptionValues<'follow' | 'until-idle' | 'deltas'>;

/** Rejects with ZerdError. Without --until-idle it ends with the process, or when nobody reads any more. */
export async function callAndFollow(
  method: string,
  params: object,
  how: FollowOptions,
  context: Context,
): Promise<number> {
  const { terminal } = context;
  const client = await context.connect('daemon');
  let close = () => client.close();
  try {
    const held: string[] = [];
    let tell: (line: string) => void = (line) => held.push(line);
    const call = async (request: ZerdClient['request']) => {
      // Whether the method exists and the parameters fit is the daemon's to say.
      const result: unknown = await request(method as ClientMethod, params as ParamsOf<ClientMethod>);
      terminal.out(`${safeJson(result)}\n`);
      for (const line of held.splice(0)) terminal.out(line);
      tell = (line) => terminal.out(line);
      return result;
    };
    const named = sessionIn(params);
    const sessionId = named ?? sessionIn(await call(client.request));
    if (sessionId === undefined) return refuse(method, context);
    const after = named === undefined ? 0 : await lastSeq(client, named);
    const followed = await followSession(client, sessionId, after, (line) => tell(line), how, context);
    close = followed.close;
    if (named !== undefined) await call(followed.request);
    await followed.over;
    return exitCode.done;
  } finally {
    close();
  }
}

function sessionIn(value: unknown): SessionId | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  return 'sessionId' in value && typeof value.sessionId === 'string' ? (value.sessionId as SessionId) : undefined;
}

function refuse(method: string, { terminal }: Context): number {
  terminal.err(`zerd: ${method} names no session: there is nothing to follow.\n`);
  return exitCode.usage;
}

async function lastSeq(client: ZerdClient, sessionId: SessionId): Promise<number> {
  return (await client.request('session/read', { sessionId, limit: 1 })).session.lastSeq;
}

async function followSession(
  client: ZerdClient,
  sessionId: SessionId,
  after: number,
  tell: (line: string) => void,
  how: FollowOptions,
  { terminal, connect, clock }: Context,
) {
  const open = new Set<TurnId>();
  let request: ZerdClient['request'] = client.request;
  const conversation = createConversation({
    feed: { request: (method, params) => request(method, params) },
    sessionId,
    after,
    turns: {},
  });
  let lose: (error: unknown) => void = () => {};
  const lost = new Promise<never>((_resolve, reject) => {
    lose = reject;
  });
  // Who waits hears of it below, also when it came before they did.
  lost.catch(() => {});
  const told = (method: string, params: object) => tell(`${safeJson({ method, params })}\n`);
  const follower: Follower = {
    event(notice) {
      told('session/event', notice);
      count(open, notice.event);
      conversation.observe(notice);
    },
    pending(notice) {
      told('session/pending', notice);
      conversation.stir();
    },
    ...(how.deltas === true
      ? {
          delta: (notice) => told('session/delta', notice),
          output: (notice) => told('session/output', notice),
        }
      : {}),
    lost(error) {
      lose(error);
      conversation.lose(error);
    },
  };
  // A daemon ends in order only when no turn runs; it is not started again merely to be followed.
  const reconnect = () => connect(open.size > 0 ? 'daemon' : 'never');
  const feed = await follow({ client, reconnect, clock, sessionId, after }, follower);
  request = feed.request;
  return {
    request: feed.request,
    close: () => feed.close(),
    get over() {
      const unread = new Promise<void>((resolve) => {
        terminal.outputGone.addEventListener('abort', () => resolve(), { once: true });
      });
      const ends = how['until-idle'] === true ? [conversation.rest('answers')] : [];
      return Promise.race([unread, lost, ...ends]).catch((error: unknown) => {
        if (open.size > 0 || !isZerdError(error) || error.code !== 'daemon_unavailable') throw error;
        terminal.err('The daemon was stopped: nothing more happens here until the next command.\n');
      });
    },
  };
}

function count(open: Set<TurnId>, event: SessionEvent): void {
  if (event.kind === 'turn.started') open.add(event.turnId);
  if (event.kind === 'turn.finished') open.delete(event.turnId);
}
