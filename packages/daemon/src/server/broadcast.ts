/**
 * Brings committed events to every client that asked for a session. Invariant (I10): each client gets the same events in
 * the same order, without hole or duplicate from where it asked; a client that does not keep up loses deltas, then is
 * told where to resume, and never holds up another.
 */

import type { LoggedEvent } from '@zerd/protocol/common/event';
import type { SessionId } from '@zerd/protocol/common/ids';
import type { DaemonNotice, ParamsOf } from '@zerd/protocol/common/methods';
import { encodeFrame } from '@zerd/protocol/node/framing';
import type { Store } from '../base/ports.ts';
import type { Delta, Runner } from '../runner/runner.ts';
import type { Caller } from './caller.ts';

export interface Broadcast {
  /** Replays what comes after `after`, goes live, and settles with the last event of the replay. */
  subscribe(caller: Caller, wish: SubscribeWish): Promise<number>;
  unsubscribe(caller: Caller, sessionId: SessionId): void;
  /** By somebody else than this client. */
  isFollowed(sessionId: SessionId, by: Caller): boolean;
  /** Sends the same to all who follow the session live; made when there is one. Who does not keep up gets a gap. */
  tell(sessionId: SessionId, frame: () => Uint8Array): void;
  /** Ends every subscription to a session that is gone, and says so. */
  tellDeleted(sessionId: SessionId): void;
  /** Forgets a client that is gone. */
  drop(caller: Caller): void;
  [Symbol.dispose](): void;
}

export interface SubscribeWish {
  readonly sessionId: SessionId;
  readonly after: number;
  readonly deltas: boolean;
}

/** Bytes a client may leave untaken before deltas, and then events, are withheld. */
export interface BacklogLimits {
  readonly deltaBytes: number;
  readonly eventBytes: number;
}

export const backlogLimits: BacklogLimits = { deltaBytes: 256 * 1024, eventBytes: 8 * 1024 * 1024 };

/** Read and written at one go, while everybody else waits: large events are a few milliseconds' work. */
const pageSize = 64;

interface Subscription {
  readonly caller: Caller;
  readonly sessionId: SessionId;
  readonly deltas: boolean;
  /** The last event that was sent. */
  sent: number;
  state: 'replaying' | 'live' | 'ended';
}

export function createBroadcast(
  store: Store,
  runner: Pick<Runner, 'onDelta' | 'onOutput'>,
  limits: BacklogLimits = backlogLimits,
): Broadcast {
  const subscriptions = new Map<SessionId, Map<Caller, Subscription>>();
  const commits = store.onCommit((sessionId, events) => {
    const frames = encodeOnce(store.epoch, sessionId);
    for (const one of liveOn(sessionId)) bring(one, events, frames);
  });
  const deltas = runner.onDelta((delta) => {
    const frame = notice('session/delta', wireDelta(delta));
    for (const { deltas, caller } of liveOn(delta.sessionId)) {
      if (deltas && caller.link.backlog() < limits.deltaBytes) caller.link.send(frame);
    }
  });

  const outputs = runner.onOutput({
    wanted: (sessionId) => liveOn(sessionId).some(({ deltas: wants }) => wants),
    tell(output) {
      const frame = notice('session/output', output);
      for (const { deltas: wants, caller } of liveOn(output.sessionId))
        if (wants && caller.link.backlog() < limits.deltaBytes) caller.link.send(frame);
    },
  });

  function liveOn(sessionId: SessionId): Subscription[] {
    return [...(subscriptions.get(sessionId)?.values() ?? [])].filter(({ state }) => state === 'live');
  }

  /** Sends what is new to the subscriber. A hole before it (there should be none) is filled from the store. */
  function bring(one: Subscription, events: readonly LoggedEvent[], frames: Frames): void {
    const first = events[0];
    if (first && first.seq > one.sent + 1) events = store.read(one.sessionId, one.sent);
    for (const event of events) {
      if (event.seq <= one.sent) continue;
      if (one.caller.link.backlog() >= limits.eventBytes) {
        withhold(one);
        return;
      }
      one.caller.link.send(frames(event));
      one.sent = event.seq;
    }
  }

  function withhold(one: Subscription): void {
    end(one);
    one.caller.link.send(notice('session/gap', { sessionId: one.sessionId, after: one.sent }));
  }

  function end(one: Subscription): void {
    one.state = 'ended';
    const ofSession = subscriptions.get(one.sessionId);
    if (ofSession?.get(one.caller) === one) ofSession.delete(one.caller);
    if (ofSession?.size === 0) subscriptions.delete(one.sessionId);
  }

  function begin(caller: Caller, { sessionId, after, deltas }: SubscribeWish): Subscription {
    const ofSession = subscriptions.get(sessionId) ?? new Map<Caller, Subscription>();
    const earlier = ofSession.get(caller);
    if (earlier) earlier.state = 'ended';
    const one: Subscription = { caller, sessionId, deltas, sent: after, state: 'replaying' };
    subscriptions.set(sessionId, ofSession.set(caller, one));
    return one;
  }

  async function replay(one: Subscription): Promise<void> {
    while (one.state === 'replaying' && !one.caller.link.ended) {
      const page = store.read(one.sessionId, one.sent, pageSize);
      const frames = encodeOnce(store.epoch, one.sessionId);
      for (const event of page) one.caller.link.send(frames(event));
      one.sent = page.at(-1)?.seq ?? one.sent;
      // Nothing can be committed between the last read and this: no await lies between.
      if (page.length < pageSize) one.state = 'live';
      else await one.caller.link.drained();
    }
  }

  return {
    async subscribe(caller, wish) {
      const one = begin(caller, wish);
      await replay(one);
      return one.sent;
    },
    isFollowed: (sessionId, by) => [...(subscriptions.get(sessionId)?.keys() ?? [])].some((caller) => caller !== by),
    unsubscribe(caller, sessionId) {
      const one = subscriptions.get(sessionId)?.get(caller);
      if (one) end(one);
    },
    tell(sessionId, frame) {
      let made: Uint8Array | undefined;
      for (const one of liveOn(sessionId)) {
        made ??= frame();
        if (one.caller.link.backlog() >= limits.eventBytes) withhold(one);
        else one.caller.link.send(made);
      }
    },
    tellDeleted(sessionId) {
      const frame = notice('session/deleted', { sessionId });
      for (const one of [...(subscriptions.get(sessionId)?.values() ?? [])]) {
        end(one);
        one.caller.link.send(frame);
      }
    },
    drop(caller) {
      for (const ofSession of subscriptions.values()) {
        const one = ofSession.get(caller);
        if (one) end(one);
      }
    },
    [Symbol.dispose]() {
      commits[Symbol.dispose]();
      deltas[Symbol.dispose]();
      outputs[Symbol.dispose]();
    },
  };
}

type Frames = (event: LoggedEvent) => Uint8Array;

/** Every subscriber gets the same bytes, which are made when the first one needs them. */
function encodeOnce(epoch: string, sessionId: SessionId): Frames {
  const made = new Map<number, Uint8Array>();
  return ({ seq, at, event }) => {
    const frame = made.get(seq) ?? notice('session/event', { sessionId, epoch, seq, at, event });
    made.set(seq, frame);
    return frame;
  };
}

function wireDelta({ sessionId, turnId, requestId, channel, text }: Delta): ParamsOf<'session/delta'> {
  return { sessionId, turnId, requestId, channel, text };
}

export function notice<M extends DaemonNotice>(method: M, params: ParamsOf<M>): Uint8Array {
  return encodeFrame({ jsonrpc: '2.0', method, params });
}
