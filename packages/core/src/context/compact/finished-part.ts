/**
 * Finds what is written already of a summary: the model's words in the newest one, and the parts that an attempt since
 * then has finished. So an attempt that ran out of time is not begun anew (P114).
 */
import type { LoggedEvent } from '@zerd/protocol/common/event';
import type { RequestId } from '@zerd/protocol/common/ids';
import { proseOf } from './prose.ts';

export interface FinishedPart {
  /** Everything up to this event is summed up by `text`; 0 and undefined: nothing is. */
  readonly after: number;
  readonly text: string | undefined;
  /** Who wrote it. */
  readonly requestId: RequestId | undefined;
}

/** `through`: the last event of what is to be summed up. */
export function finishedPart(events: readonly LoggedEvent[], through: number): FinishedPart {
  const asked = new Map<RequestId, { readonly after: number; readonly through: number } | undefined>();
  const proses = new Map<RequestId, string>();
  let done: FinishedPart = { after: 0, text: undefined, requestId: undefined };
  for (const { event } of events) {
    if (event.kind === 'request.started' && event.purpose === 'compaction') asked.set(event.requestId, event.covers);
    if (event.kind === 'context.compacted') {
      const { throughSeq: after, summaryRequestId: requestId } = event;
      // One that was made without words leaves those of before.
      done = { after, requestId, text: proses.get(requestId) ?? done.text };
    }
    if (event.kind !== 'assistant.finished' || !asked.has(event.requestId)) continue;
    const prose = proseOf(event);
    if (prose.kind !== 'prose') continue;
    proses.set(event.requestId, prose.text);
    const { requestId } = event;
    const covers = asked.get(requestId);
    if (covers?.after !== done.after || covers.through > through) continue;
    done = { after: covers.through, text: prose.text, requestId };
  }
  return done;
}
