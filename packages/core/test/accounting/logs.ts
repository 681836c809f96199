/** Logs of requests for the tests of the ledger, built like a story: each call adds what happened next. */
import { costOf, ratesOf } from '@zerd/core/accounting/cost';
import { type Price, priceFromUsd } from '@zerd/core/accounting/price';
import type { Diagnosis } from '@zerd/protocol/common/cost-events';
import type { LoggedEvent, Segment, SessionEvent } from '@zerd/protocol/common/event';
import type { CallId, RequestId, SessionId, TurnId } from '@zerd/protocol/common/ids';
import type { Usage } from '@zerd/protocol/common/usage';

export const price: Price = {
  ...priceFromUsd({ input: 2, output: 10, cacheRead: 0.1, cacheWrite: 2.5, cacheWrite1h: 4 }, 'a list', '2026-11-29'),
};

export interface Asked {
  readonly model?: string;
  /** Of the messages; the fixed part is `T` and `S` unless given. */
  readonly segments?: readonly string[];
  readonly read?: number;
  readonly write?: number;
  readonly write1h?: number;
  readonly uncached?: number;
  readonly purpose?: 'compaction' | 'keepWarm';
  readonly apart?: boolean;
  readonly diagnosis?: Diagnosis;
  /** Milliseconds since the event before. */
  readonly after?: number;
  readonly unpriced?: boolean;
  readonly billedPico?: number;
}

export function createLog(created: Partial<Extract<SessionEvent, { kind: 'session.created' }>> = {}) {
  const events: LoggedEvent[] = [];
  let at = 1_000_000;
  let turn = 1;
  let requests = 0;
  const turnId = () => `turn_${turn}` as TurnId;
  const add = (event: SessionEvent, after = 1_000) => {
    at += after;
    events.push({ seq: events.length + 1, at, event });
  };
  add({
    kind: 'session.created',
    root: '/work',
    model: 'sim/sim',
    mode: 'full',
    system: 'You are.',
    tools: '[]',
    version: '0.1.0',
    ...created,
  });
  const log = {
    events,
    add,
    turn() {
      turn += 1;
      add({ kind: 'turn.started', turnId: turnId() });
      return log;
    },
    asked(of: Asked = {}) {
      const requestId = `req_${++requests}` as RequestId;
      const { model = 'sim/sim', segments = ['T', 'S', 'm0'], after, purpose, apart = false } = of;
      add(
        {
          kind: 'request.started',
          requestId,
          turnId: turnId(),
          model,
          attempt: 1,
          bytes: 10_000,
          segments: segments.map(segmentOf),
          ...(purpose === undefined ? {} : { purpose }),
          ...(apart ? { covers: { after: 0, through: 1 } } : {}),
        },
        after,
      );
      return { requestId, usage: usageOf(of) };
    },
    answered(of: Asked = {}) {
      const { requestId, usage } = log.asked(of);
      const rates = of.unpriced === true ? null : ratesOf(usage, price);
      add({
        kind: 'assistant.finished',
        requestId,
        turnId: turnId(),
        content: [],
        stopReason: 'end',
        usage,
        costPico: of.unpriced === true ? null : costOf(usage, price, of.billedPico),
        ...(rates === null ? {} : { rates }),
        ...(of.billedPico === undefined ? {} : { billed: true }),
        ...(of.diagnosis === undefined ? {} : { diagnosis: of.diagnosis }),
      });
      return log;
    },
    failed(of: Asked = {}, spent = false) {
      const { requestId, usage } = log.asked(of);
      const rates = ratesOf(usage, price);
      add({
        kind: 'request.failed',
        requestId,
        turnId: turnId(),
        failure: { code: 'provider_truncated', message: 'cut' },
        ...(spent ? { usage, costPico: costOf(usage, price), ...(rates === null ? {} : { rates }) } : {}),
      });
      return log;
    },
    trimmed(predicted: { readonly read: number; readonly kept: number }) {
      const zeros = { cut: 0, rewritten: 0, rent: 0, price: 0, costKept: 0, costTrimmed: 0 };
      add({
        kind: 'context.trimmed',
        turnId: turnId(),
        reason: 'due',
        calls: ['call_1' as CallId],
        inputs: [],
        note: 'cleared',
        keptFrom: 'req_1' as RequestId,
        predicted: { ...zeros, ...predicted },
      });
      return log;
    },
    compacted() {
      add({
        kind: 'context.compacted',
        turnId: turnId(),
        reason: 'due',
        throughSeq: events.length,
        summary: 'In short.',
        summaryRequestId: 'req_1' as RequestId,
        usage: usageOf({}),
        predicted: { prompt: 0, after: 0, facts: 0 },
      });
      return log;
    },
  };
  return log;
}

function usageOf({ read = 0, write = 0, write1h = 0, uncached = 0 }: Asked): Usage {
  const long = write1h === 0 ? {} : { cacheWrite1h: write1h };
  return { uncached, cacheRead: read, cacheWrite: write, ...long, output: 100, reported: true };
}

/** `T` is the tools, `S` the system, the rest are messages in order; what follows `=` is another content. */
function segmentOf(text: string, at: number): Segment {
  const [name = ''] = text.split('=');
  const named = name === 'T' ? 'tools' : name === 'S' ? 'system' : `message ${at - 2}`;
  return { name: named, hash: text.padEnd(16, '0'), bytes: 1_000 };
}

export const otherSession = 'ses_other' as SessionId;
