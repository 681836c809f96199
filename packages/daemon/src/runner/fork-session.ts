/**
 * Does: forks a session at an event. Invariant: the fork sends what its source would have sent there, byte for byte, and
 * nothing that runs or waits in the source is touched or taken over.
 */
import { foldSession } from '@zerd/core/session/fold';
import { forkClosing, forkCreated } from '@zerd/core/session/fork';
import { ZerdError } from '@zerd/protocol/common/errors';
import { type SessionId, sessionIdSchema } from '@zerd/protocol/common/ids';
import { newId } from './new-id.ts';
import type { RunnerParts } from './parts.ts';

/** `atSeq` undefined: as it is now. Rejects with invalid_params when there is no such event. */
export async function forkSession(
  { store, clock }: Pick<RunnerParts, 'store' | 'clock'>,
  { sessionId: from, atSeq }: { readonly sessionId: SessionId; readonly atSeq?: number },
): Promise<{ readonly sessionId: SessionId; readonly seq: number }> {
  const last = store.session(from)?.lastSeq ?? 0;
  const seq = atSeq ?? last;
  const events = store.read(from, 0, seq).filter((logged) => logged.seq <= seq);
  const [first] = events;
  if (seq > last || first?.event.kind !== 'session.created') throw noSuchEvent(from, seq, last);
  const sessionId = sessionIdSchema.parse(newId('ses', clock));
  const created = forkCreated(first.event, { sessionId: from, seq });
  const closing = forkClosing(foldSession(events));
  await store.fork({ sessionId, created, from, seq, closing });
  return { sessionId, seq: seq + closing.length };
}

function noSuchEvent(sessionId: SessionId, seq: number, last: number): ZerdError {
  return new ZerdError(
    'invalid_params',
    `Session ${sessionId} has no event ${seq}: its events are 1 to ${last}. Nothing was forked.`,
  );
}
