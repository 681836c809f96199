/** Sessions as text, page by page: a page ends between two events, so that no answer grows with the session. */
import { type CalledTool, type ExportContext, exportJson, exportMarkdown } from '@zerd/core/session/export';
import type { LoggedEvent } from '@zerd/protocol/common/event';
import type { CallId, RequestId } from '@zerd/protocol/common/ids';
import type { SessionRow } from '@zerd/protocol/common/methods';
import type { Store } from '../../base/ports.ts';
import type { Handlers } from '../dispatch.ts';
import type { House } from '../house.ts';
import { knownSession } from './session.ts';

/** Of one page, at least an event. */
const pageChars = 2 * 1024 * 1024;
const pageEvents = 500;

export function exportHandlers({ store }: House): Pick<Handlers, 'session/export'> {
  return {
    'session/export'({ sessionId, format, after = 0 }) {
      const row = knownSession(store, sessionId);
      const events = store.read(sessionId, after, pageEvents);
      const write = format === 'json' ? exportJson : markdownOf(store, row, after, events);
      let text = '';
      let next = after;
      for (const logged of events) {
        if (text.length >= pageChars) return { text, next };
        text += write(logged);
        next = logged.seq;
      }
      return next < row.lastSeq && events.length > 0 ? { text, next } : { text };
    },
  };
}

function markdownOf(store: Store, session: SessionRow, after: number, events: readonly LoggedEvent[]) {
  const before = [...events];
  // A request stands close before its answer, and that before the results of its calls: mostly the first look back is enough.
  for (let end = after; end > 0 && (end === after || lacksCalls(before)); end -= pageEvents) {
    const from = Math.max(0, end - pageEvents);
    before.push(...store.read(session.sessionId, from, end - from));
  }
  const context: ExportContext = { session, calls: callsOf(before), beside: besideOf(before) };
  return (logged: LoggedEvent) => exportMarkdown(logged, context);
}

function lacksCalls(events: readonly LoggedEvent[]): boolean {
  const calls = callsOf(events);
  return events.some(({ event }) => event.kind === 'toolCall.finished' && !calls.has(event.callId));
}

function callsOf(events: readonly LoggedEvent[]): ReadonlyMap<CallId, CalledTool> {
  const answers = events.flatMap(({ event }) => (event.kind === 'assistant.finished' ? event.content : []));
  return new Map(answers.flatMap((block) => (block.kind === 'toolCall' ? [[block.callId, block] as const] : [])));
}

function besideOf(events: readonly LoggedEvent[]): ReadonlySet<RequestId> {
  const requests = events.flatMap(({ event }) => (event.kind === 'request.started' ? [event] : []));
  return new Set(requests.flatMap(({ requestId, purpose }) => (purpose === undefined ? [] : [requestId])));
}
