/**
 * One round: a session does something, its daemon is killed in the middle (at a named event, or at random), a client
 * comes back, and the session is brought to its end. Judged is what was acknowledged before, and what happened twice.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { SessionId } from '@zerd/protocol/common/ids';
import type { ZerdClient } from '@zerd/protocol/node/client';
import { messageOf, type RoundKind } from './story.ts';
import { type Acknowledged, lostOf, watchSession } from './watch-session.ts';

export interface RoundWish {
  readonly round: number;
  readonly kind: RoundKind;
  /** The event at which the daemon is killed; a number: after so many milliseconds. */
  readonly killAt: SessionEvent['kind'] | number;
  readonly connect: () => Promise<ZerdClient>;
}

export interface RoundEnd {
  readonly acknowledged: number;
  readonly lost: number;
  /** From the kill until the session had gone on. */
  readonly resumeMs: number;
}

/** When the named event does not come. */
const patienceMs = 5_000;
const settleMs = 30_000;

export async function playRound(wish: RoundWish): Promise<RoundEnd> {
  const acknowledged: Acknowledged = { events: new Map(), answered: 0 };
  const client = await wish.connect();
  const mode = wish.kind === 'approval' ? 'ask' : 'full';
  const { sessionId, seq } = await client.request('session/create', { mode, trust: true });
  acknowledged.answered = seq;
  if (wish.kind === 'compaction') await runWhole(client, sessionId, wish);
  const killed = await untilKilled(client, sessionId, wish, acknowledged);
  client.close();
  return await comeBack(wish, sessionId, acknowledged, killed);
}

/** Something to sum up. */
async function runWhole(client: ZerdClient, sessionId: SessionId, { round }: RoundWish): Promise<void> {
  await client.request('turn/start', { sessionId, text: messageOf(round, 'compaction'), trust: true });
  await untilState(client, sessionId, ['idle']);
}

/** Settles with the moment of the kill. */
async function untilKilled(
  client: ZerdClient,
  sessionId: SessionId,
  { round, kind, killAt }: RoundWish,
  acknowledged: Acknowledged,
): Promise<number> {
  const { pid } = client.hello.daemon;
  let reached = () => {};
  const point = new Promise<void>((resolve) => {
    reached = resolve;
  });
  await watchSession(client, sessionId, acknowledged, (event) => {
    if (event.kind === killAt) reached();
  });
  const begun =
    kind === 'compaction'
      ? client.request('session/compact', { sessionId, trust: true })
      : client.request('turn/start', { sessionId, text: messageOf(round, kind), trust: true });
  // A kill may come before the answer: then nothing was promised.
  const answered = begun.then(({ seq }) => Math.max(acknowledged.answered, seq)).catch(() => acknowledged.answered);
  await Promise.race([point, pause(typeof killAt === 'number' ? killAt : patienceMs, undefined, { ref: false })]);
  process.kill(pid, 'SIGKILL');
  const killedAt = performance.now();
  acknowledged.answered = await answered;
  return killedAt;
}

async function comeBack(
  { connect, kind, round }: RoundWish,
  sessionId: SessionId,
  acknowledged: Acknowledged,
  killedAt: number,
): Promise<RoundEnd> {
  const client = await connect();
  try {
    await untilGoneOn(client, sessionId, acknowledged);
    const resumeMs = performance.now() - killedAt;
    await answerAll(client, sessionId);
    const { events } = await client.request('session/read', { sessionId });
    const lost = lostOf(acknowledged, events);
    // What it left unfinished it can finish.
    if (kind !== 'compaction') {
      await client.request('turn/start', { sessionId, text: `go on after round ${round}`, trust: true });
      await answerAll(client, sessionId);
    }
    return { acknowledged: acknowledged.events.size, lost, resumeMs };
  } finally {
    client.close();
  }
}

/** A turn that was open has something new in its log, or waits for the user as before. */
async function untilGoneOn(client: ZerdClient, sessionId: SessionId, { events }: Acknowledged): Promise<void> {
  const last = Math.max(0, ...events.keys());
  for (const deadline = performance.now() + settleMs; performance.now() < deadline; await pause(10)) {
    const { session } = await client.request('session/read', { sessionId, after: last, limit: 1 });
    if (session.lastSeq > last || session.state !== 'running') return;
  }
  throw new Error(`session ${sessionId} did not go on within ${settleMs / 1000} s`);
}

/** Says yes to whatever is asked until nothing runs. */
async function answerAll(client: ZerdClient, sessionId: SessionId): Promise<void> {
  for (;;) {
    const { state, pendingApprovals } = await untilState(client, sessionId, ['idle', 'waiting']);
    if (state === 'idle') return;
    for (const { approvalId, digest } of pendingApprovals)
      await client.request('approval/answer', { sessionId, approvalId, digest, decision: 'granted' }).catch(() => {});
    await pause(20);
  }
}

async function untilState(client: ZerdClient, sessionId: SessionId, wanted: readonly string[]) {
  for (const deadline = performance.now() + settleMs; performance.now() < deadline; await pause(20)) {
    const { session, pendingApprovals } = await client.request('session/read', { sessionId, limit: 1 });
    if (wanted.includes(session.state)) return { state: session.state, pendingApprovals };
  }
  throw new Error(`session ${sessionId} did not come to rest within ${settleMs / 1000} s`);
}
