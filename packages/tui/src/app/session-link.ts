/**
 * The session that is shown: what happens in it comes in order, over lost connections and restarts of the daemon; what is
 * wanted of it goes out. Invariant: switching to another session never ends what runs in this one.
 */

import { isZerdError } from '@zerd/protocol/common/errors';
import type { SessionId } from '@zerd/protocol/common/ids';
import type { PendingApproval, PendingQuestion } from '@zerd/protocol/common/methods';
import type { ZerdClient } from '@zerd/protocol/node/client';
import { systemClock } from '@zerd/protocol/node/clock';
import {
  type DeltaNotice,
  type EventNotice,
  type Feed,
  follow,
  type OutputNotice,
  type PendingNotice,
  type Snapshot,
} from '@zerd/protocol/node/follow';

export interface SessionListener {
  event(notice: EventNotice): void;
  delta(notice: DeltaNotice): void;
  output(notice: OutputNotice): void;
  /** All that is asked now, by sub-agents too. */
  pending(notice: PendingNotice): void;
  /** All that stood when it was opened, or opened again, has come. */
  synced(snapshot: Snapshot): void;
  lost(why: string): void;
}

export interface SessionLink {
  readonly sessionId: SessionId;
  readonly feed: Feed;
  close(): void;
}

export async function linkSession(
  connect: () => Promise<ZerdClient>,
  sessionId: SessionId,
  listener: SessionListener,
): Promise<SessionLink> {
  const feed = await follow(
    { client: await connect(), reconnect: connect, clock: systemClock, sessionId, after: 0 },
    {
      event: listener.event,
      delta: listener.delta,
      output: listener.output,
      pending: listener.pending,
      synced: listener.synced,
      lost: (error) => listener.lost(messageOf(error)),
    },
  );
  return { sessionId, feed, close: () => feed.close() };
}

export function messageOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : String(error);
}

const lostText =
  'The connection to the daemon was lost before the answer, and is made again. See whether it arrived before you send it once more.';

/** What the UI itself offers is named where the daemon names a command. */
export function refusalOf(error: unknown): string {
  const message = messageOf(error);
  if (!isZerdError(error)) return message;
  if (error.code === 'untrusted') return `${message.replace(/ Run `zerd trust`.*$/s, '')} /trust trusts it.`;
  return error.code === 'disconnected' ? lostText : message;
}

export interface Pending {
  readonly approvals: readonly PendingApproval[];
  readonly questions: readonly PendingQuestion[];
}

export const nothingPending: Pending = { approvals: [], questions: [] };

/** What is asked, as events change it. Pure. */
export function nextPending(pending: Pending, { event, at }: EventNotice): Pending {
  const { approvals, questions } = pending;
  switch (event.kind) {
    case 'approval.requested':
      return {
        ...pending,
        approvals: [...approvals.filter(({ approvalId }) => approvalId !== event.approvalId), event],
      };
    case 'approval.answered':
      return { ...pending, approvals: approvals.filter(({ approvalId }) => approvalId !== event.approvalId) };
    case 'question.asked':
      return {
        ...pending,
        questions: [
          ...questions.filter(({ questionId }) => questionId !== event.questionId),
          { ...event, options: event.options ?? [], askedAt: at },
        ],
      };
    case 'question.answered':
      return { ...pending, questions: questions.filter(({ questionId }) => questionId !== event.questionId) };
    case 'turn.finished': {
      const stays = ({ turnId }: { readonly turnId: string }) => turnId !== event.turnId;
      return { approvals: approvals.filter(stays), questions: questions.filter(stays) };
    }
    default:
      return pending;
  }
}
