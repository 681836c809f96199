/** The machine's view of a session: the protocol's own `session/event` parameters, one a line, fields in this order. */
import type { ParamsOf } from '@zerd/protocol/common/methods';
import { safeJson } from '@zerd/protocol/common/sanitise';

/** The same event gives the same bytes in every client, so that two views can be compared by their hash. */
export function jsonLine({ sessionId, epoch, seq, at, event }: ParamsOf<'session/event'>): string {
  return `${safeJson({ sessionId, epoch, seq, at, event })}\n`;
}
