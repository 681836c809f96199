/**
 * What compactions have done to a session so far, as a fold: the summary that stands in front of the transcript, how
 * often one was made and tried. Invariant: what a compaction replaced is no part of the transcript any more, and calls
 * keep their numbers.
 */
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { CallId } from '@zerd/protocol/common/ids';
import { toldBehind } from '../mcp/told.ts';
import { splitRules } from '../rules/block.ts';
import type { Compactions, SessionState, TranscriptItem } from './state.ts';

type CompactedEvent = Extract<SessionEvent, { kind: 'context.compacted' }>;

export const noCompactions: Compactions = {
  newest: undefined,
  made: [],
  triedAt: undefined,
  answered: 0,
  calls: 0,
};

export function afterAnswer(before: Compactions): Compactions {
  return { ...before, answered: before.answered + 1 };
}

export function triedToCompact(before: Compactions): Compactions {
  return { ...before, triedAt: before.answered };
}

/** The prompt of the last request is void, and with it what trims expected of it. */
export function compacted(state: SessionState, event: CompactedEvent, seq: number): Partial<SessionState> {
  const { throughSeq, summary, usage } = event;
  const { rules } = splitRules(summary, event.rules);
  const replaced = callsIn(state.items.filter((item) => item.seq <= throughSeq));
  const lost = (item: TranscriptItem) => item.kind === 'toolResult' && replaced.has(item.callId);
  const items = state.items.filter((item) => item.seq > throughSeq && !lost(item));
  const answers = new Set(items.flatMap((item) => (item.kind === 'answer' ? [item.requestId] : [])));
  const requests = state.requests.filter(({ requestId }) => answers.has(requestId));
  const { compactions } = state;
  return {
    items,
    // Nothing is open when a summary is made; a result without its call would stand alone (I12).
    openCalls: state.openCalls.filter(({ callId }) => !replaced.has(callId)),
    requests,
    lastRequest: undefined,
    trims: { ...state.trims, newest: undefined },
    // What a reminder told went with it.
    rulesTold: new Map(),
    serversTold: toldBehind(state.serversTold, throughSeq),
    compactions: {
      ...compactions,
      newest: {
        seq,
        throughSeq,
        summary,
        rules,
        kept: requests.length,
        written: usage.reported ? usage.output : undefined,
      },
      made: [...compactions.made, compactions.answered],
      calls: compactions.calls + replaced.size,
    },
  };
}

function callsIn(items: readonly TranscriptItem[]): ReadonlySet<CallId> {
  const blocks = items.flatMap((item) => (item.kind === 'answer' ? item.content : []));
  return new Set(blocks.flatMap((block) => (block.kind === 'toolCall' ? [block.callId] : [])));
}
