/** Sessions: made by the runner, listed and read from the store, followed through the broadcast. */
import { isUnused } from '@zerd/core/session/unused';
import { ZerdError } from '@zerd/protocol/common/errors';
import type { LoggedEvent } from '@zerd/protocol/common/event';
import type { SessionId, TurnId } from '@zerd/protocol/common/ids';
import type { JobRow } from '@zerd/protocol/common/job-shapes';
import type { PendingApproval, PendingQuestion, SessionRow, Wait, WaitingPrompt } from '@zerd/protocol/common/methods';
import type { Needs } from '@zerd/protocol/common/work-events';
import type { Store } from '../../base/ports.ts';
import type { WaitingPrompts } from '../../runner/runner.ts';
import type { Broadcast } from '../broadcast.ts';
import { clientName, envOf } from '../caller.ts';
import type { Handlers } from '../dispatch.ts';
import { given } from '../given.ts';
import type { House } from '../house.ts';
import { createLatestFirst } from '../latest-first.ts';
import { jobRow } from './job.ts';

type SessionMethod =
  | 'session/create'
  | 'session/list'
  | 'session/read'
  | 'session/subscribe'
  | 'session/unsubscribe'
  | 'session/setMode'
  | 'session/compact'
  | 'session/fork'
  | 'session/rewind'
  | 'session/delete'
  | 'secret/forget';

interface Snapshot {
  readonly session: SessionRow;
  readonly pendingApprovals: PendingApproval[];
  readonly pendingQuestions: PendingQuestion[];
  readonly jobs: JobRow[];
  readonly waits: Wait[];
  readonly turnId?: TurnId;
  readonly queue: WaitingPrompt[];
  readonly queuePaused: boolean;
  readonly queueNeeds?: Needs;
}

/** Characters of events in one answer; what is beyond is read with the next `after`. */
const pageChars = 8 * 1024 * 1024;
const pageEvents = 1000;

export function sessionHandlers(
  { store, runner, jobs, shutdown }: House,
  broadcast: Broadcast,
): Pick<Handlers, SessionMethod> {
  const snapshot = (sessionId: SessionId): Snapshot => ({
    session: knownSession(store, sessionId),
    pendingApprovals: [...runner.pendingApprovals(sessionId)],
    pendingQuestions: [...runner.pendingQuestions(sessionId)],
    jobs: jobs
      .list(sessionId)
      .filter(({ end }) => end === undefined)
      .map(jobRow),
    waits: runner.waits().filter((wait) => wait.sessionId === sessionId),
    ...said(runner.queued(sessionId)),
  });

  const latestFirst = createLatestFirst(store);

  return {
    'session/create': (params, caller) => runner.createSession({ env: envOf(caller), ...given(params) }),
    'session/list': () => ({ sessions: latestFirst(store.sessions()) }),
    'session/read': ({ sessionId, after = 0, limit = pageEvents }) => ({
      ...snapshot(sessionId),
      events: withinPage(store.read(sessionId, after, limit)),
    }),
    async 'session/subscribe'({ sessionId, after = 0, deltas = false }, caller) {
      const { lastSeq } = knownSession(store, sessionId);
      // A number from another store, or from the future, must not hide what is to come.
      const from = Math.min(after, lastSeq);
      const syncedAt = await broadcast.subscribe(caller, { sessionId, after: from, deltas });
      return { epoch: store.epoch, syncedAt, ...snapshot(sessionId) };
    },
    'session/unsubscribe'({ sessionId }, caller) {
      broadcast.unsubscribe(caller, sessionId);
      return {};
    },
    'session/compact'(params, caller) {
      knownSession(store, params.sessionId);
      return runner.compact({ env: envOf(caller), ...given(params) });
    },
    'session/fork'(params) {
      knownSession(store, params.sessionId);
      return runner.fork(given(params));
    },
    'session/rewind'(params) {
      knownSession(store, params.sessionId);
      return runner.rewind(given(params));
    },
    async 'session/delete'({ sessionId, onlyUnused }, caller) {
      if (onlyUnused && (broadcast.isFollowed(sessionId, caller) || !isUnused(store.read(sessionId))))
        return { deleted: [] };
      const deleted = await runner.removeSession(sessionId);
      for (const id of deleted) broadcast.tellDeleted(id);
      return { deleted: [...deleted] };
    },
    async 'secret/forget'({ secret }) {
      const report = await runner.forget(secret);
      // Folds and answers in memory still hold it.
      shutdown('a secret was forgotten');
      return report;
    },
    async 'session/setMode'({ sessionId, mode }, caller) {
      knownSession(store, sessionId);
      await runner.setMode(sessionId, mode, clientName(caller).by);
      return {};
    },
  };
}

type Said = Pick<Snapshot, 'turnId' | 'queue' | 'queuePaused' | 'queueNeeds'>;

function said({ turnId, prompts, paused, needs }: WaitingPrompts): Said {
  return { ...(turnId && { turnId }), queue: [...prompts], queuePaused: paused, ...(needs && { queueNeeds: needs }) };
}

/** Throws unknown_session. */
export function knownSession(store: Store, sessionId: SessionId): SessionRow {
  const row = store.session(sessionId);
  if (row) return row;
  throw new ZerdError('unknown_session', `There is no session ${sessionId} in this repository. See \`zerd sessions\`.`);
}

/** At least one event, so that reading always gets further. */
function withinPage(events: readonly LoggedEvent[]): LoggedEvent[] {
  let chars = 0;
  const end = events.findIndex(({ event }, index) => {
    chars += JSON.stringify(event).length;
    return chars > pageChars && index > 0;
  });
  return end < 0 ? [...events] : events.slice(0, end);
}
