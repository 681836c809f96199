/** What can go wrong, as data: a fault is plain JSON, a rule says which requests it strikes. Several may strike one request. */

/** Nothing of an answer is sent. */
export type RefusalFault =
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly type?: string;
      readonly code?: string;
      readonly message?: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'rate-limit'; readonly retryAfter?: string }
  | { readonly kind: 'overloaded' }
  | { readonly kind: 'bad-key' }
  | { readonly kind: 'spend-limit' }
  | { readonly kind: 'overflow' }
  | { readonly kind: 'html'; readonly status: 200 | 502 };

/** The connection stays open and says nothing (or only pings). */
export type SilenceFault =
  | { readonly kind: 'no-answer' }
  | { readonly kind: 'headers-only' }
  | { readonly kind: 'pings-only'; readonly everyMs?: number }
  | { readonly kind: 'silence'; readonly after: 'first-event' | 'output' };

/** The stream ends before its terminal event. `how`: the socket is destroyed (default) or the body ends cleanly. */
export type CutFault =
  | { readonly kind: 'reset' }
  | { readonly kind: 'cut'; readonly at: 'line' | 'utf8' | 'tool-json'; readonly how?: 'reset' | 'end' }
  | { readonly kind: 'eof' }
  | {
      readonly kind: 'error-event';
      readonly type?: string;
      readonly message?: string;
      readonly after?: 'start' | 'output';
      readonly leaveOpen?: boolean;
      /** On the Responses wire: as `response.failed` instead of an `error` event. */
      readonly failed?: boolean;
    }
  | { readonly kind: 'overloaded-event'; readonly leaveOpen?: boolean };

/** The answer is whole, but written strangely. */
export type FramingFault =
  | { readonly kind: 'junk-lines' }
  | { readonly kind: 'junk-data' }
  | { readonly kind: 'comments' }
  | { readonly kind: 'crlf' }
  | { readonly kind: 'mixed-ends' }
  | { readonly kind: 'bom' }
  | { readonly kind: 'two-data-lines' }
  | { readonly kind: 'long-line'; readonly bytes?: number }
  /** `everyMs`: one of them each; absent: as fast as they are taken. */
  | { readonly kind: 'chunks'; readonly bytes: number; readonly everyMs?: number };

/** The framing is right, but what the model says is not. */
export type ContentFault =
  | { readonly kind: 'duplicate-ids' }
  | { readonly kind: 'unknown-tool'; readonly name?: string }
  | { readonly kind: 'huge-input'; readonly bytes?: number }
  | { readonly kind: 'cut-input' };

export type Fault = RefusalFault | SilenceFault | CutFault | FramingFault | ContentFault;

export interface FaultRule {
  readonly fault: Fault | readonly Fault[];
  /** Numbers of requests, from 1; absent: every request. */
  readonly on?: number | readonly number[];
  /** Strikes this often at most. */
  readonly times?: number;
}

export interface FaultRules {
  /** The faults that strike request `n`; counts as a strike. */
  strike(n: number): readonly Fault[];
}

export function createFaultRules(rules: readonly FaultRule[]): FaultRules {
  const struck = rules.map(() => 0);
  return {
    strike(n) {
      return rules.flatMap((rule, i) => {
        const so = struck[i] ?? 0;
        if (!isMeant(rule, n) || so >= (rule.times ?? Number.POSITIVE_INFINITY)) return [];
        struck[i] = so + 1;
        return listed(rule.fault);
      });
    },
  };
}

function isMeant(rule: FaultRule, n: number): boolean {
  return rule.on === undefined || listed(rule.on).includes(n);
}

/** One or several, as a list. */
export function listed<T>(value: T | readonly T[] | undefined): readonly T[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? (value as readonly T[]) : [value as T];
}
