/**
 * Does: reads what a session cost out of its log: the ledger, its misses, what is dear and what can be done. Invariant: all
 * of it follows from the logs and the settings; nothing is remembered.
 */
import { adviceOn, unlistedAdvice } from '@zerd/core/accounting/advice';
import type { FirstElsewhere } from '@zerd/core/accounting/cache-knowledge';
import { type Carried, carriedOf } from '@zerd/core/accounting/carried';
import { carriedByRequest } from '@zerd/core/accounting/carried-by-request';
import { contextChanges } from '@zerd/core/accounting/context-changes';
import { type Ledger, type LedgerRequest, ledgerOf } from '@zerd/core/accounting/ledger';
import { firstRequest, missesOf } from '@zerd/core/accounting/misses';
import { reasoningNote } from '@zerd/core/accounting/reasoning-note';
import { addTotals, noTotals } from '@zerd/core/accounting/totals';
import type { LoggedEvent } from '@zerd/protocol/common/event';
import type { SessionId } from '@zerd/protocol/common/ids';
import type { SessionCost } from '@zerd/protocol/common/methods';
import type { Store } from '../../base/ports.ts';
import type { Config } from '../../config/load.ts';
import { bindsReasoning, cacheKnowledge } from './cache-knowledge.ts';

/** Of what is carried, without `requests`. */
const mostCarried = 20;

export interface CostParts {
  readonly store: Store;
  readonly readConfig: () => Config;
}

/** `whole`: every request and all that is carried. */
export function readCost({ store, readConfig }: CostParts, sessionId: SessionId, whole = false): SessionCost {
  const events = store.read(sessionId);
  const ledger = ledgerOf(events);
  const about = cacheKnowledge(readConfig());
  const { misses, notReported } = missesOf(ledger.requests, about, elsewhere(store, sessionId, ledger));
  const carried = carriedOf(events);
  const reasoning = reasoningNote(events, bindsReasoning(readConfig()));
  return {
    sessionId,
    byPurpose: ledger.byPurpose.map(({ purpose, totals }) => ({ purpose, totals })),
    subagents: ofSubagents(store, sessionId),
    misses: [...misses],
    notReported: [...notReported],
    carried: (whole ? carried : carried.slice(0, mostCarried)).map(shownCarried),
    ...(reasoning === undefined ? {} : { reasoning }),
    advice: [
      ...unlistedAdvice(ledger.requests),
      ...adviceOn(ledger.totals.costPico, carried, misses).map(({ text }) => text),
    ],
    ...(whole ? { requests: paidRequests(events, ledger), changes: [...contextChanges(events)] } : {}),
  };
}

function paidRequests(events: readonly LoggedEvent[], ledger: Ledger): NonNullable<SessionCost['requests']> {
  const carried = carriedByRequest(events);
  return ledger.requests.map((request) => {
    const carries = carried.get(request.requestId);
    return { ...shownRequest(request), ...(carries === undefined ? {} : { carries }) };
  });
}

function shownCarried({ callId, ...rest }: Carried): SessionCost['carried'][number] {
  return callId === undefined ? rest : { ...rest, callId };
}

function shownRequest(request: LedgerRequest): NonNullable<SessionCost['requests']>[number] {
  const { seq, at, endedAt, requestId, turnId, model, attempt, purpose, outcome, copied, bytes, costPico, billed } =
    request;
  const { usage, parts } = request;
  return {
    ...{ seq, at, requestId, turnId, model, attempt, purpose, outcome, copied, bytes, costPico, billed },
    ...(endedAt === undefined ? {} : { endedAt }),
    ...(usage === undefined ? {} : { usage }),
    ...(parts === null ? {} : { parts }),
  };
}

/** Theirs, and those of the sub-agents that they started in turn (P094). */
function ofSubagents(store: Store, sessionId: SessionId): SessionCost['subagents'] {
  const rows = store.sessions();
  const sum = (parent: SessionId): SessionCost['subagents'] =>
    rows
      .filter(({ parentId }) => parentId === parent)
      .reduce(
        (total, row) => addTotals(addTotals(total, store.totals(row.sessionId).totals), sum(row.sessionId)),
        noTotals,
      );
  return sum(sessionId);
}

/** The longest that a provider keeps an unused prompt (OpenAI's 12 hours aside, which zerd does not ask for). */
const longestMs = 3_600_000;
/** A first request stands at the beginning of a log. */
const firstEvents = 40;

/** First requests of sessions that began shortly before this one's. */
function elsewhere(store: Store, sessionId: SessionId, ledger: Ledger): readonly FirstElsewhere[] {
  const first = ledger.requests[0];
  if (first === undefined || first.copied) return [];
  const recent = store
    .sessions()
    .filter((row) => row.sessionId !== sessionId && row.createdAt <= first.at && first.at - row.createdAt <= longestMs);
  return recent.flatMap((row) => firstRequest(ledgerOf(store.read(row.sessionId, 0, firstEvents)).requests) ?? []);
}
