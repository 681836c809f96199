/** The machine's view of a session: the protocol's own notices, their parameters one a line, fields in this order. */
import type { ParamsOf } from '@zerd/protocol/common/methods';
import { safeJson } from '@zerd/protocol/common/sanitise';

/** The same event gives the same bytes in every client, so that two views can be compared by their hash. */
export function jsonLine({ sessionId, epoch, seq, at, event }: ParamsOf<'session/event'>): string {
  return `${safeJson({ sessionId, epoch, seq, at, event })}\n`;
}

/** A piece of an answer while it is written: known by its `channel`. What it was a piece of comes as an event. */
export function deltaLine({ sessionId, turnId, requestId, channel, text }: ParamsOf<'session/delta'>): string {
  return `${safeJson({ sessionId, turnId, requestId, channel, text })}\n`;
}

/** What is asked now, when what a sub-agent asks has changed. */
export function pendingLine({ sessionId, pendingApprovals, pendingQuestions }: ParamsOf<'session/pending'>): string {
  return `${safeJson({ sessionId, pendingApprovals, pendingQuestions })}\n`;
}
