/**
 * What each thing in the prompt cost by being carried: its tokens in every request, at what that request paid for the place
 * where it stood (read, written or uncached). A pure function of the log; what a request paid for its prompt is shared out
 * by estimated size, so the shares of one request add up to its input side.
 */
import type { Rates } from '@zerd/protocol/common/cost-events';
import type { LoggedEvent } from '@zerd/protocol/common/event';
import type { CallId, RequestId } from '@zerd/protocol/common/ids';
import type { Usage } from '@zerd/protocol/common/usage';
import { type CarriedKind, type PromptPart, promptParts } from './prompt-parts.ts';

export interface Carried {
  readonly kind: CarriedKind;
  /** `read src/a.ts`, `AGENTS.md`, `tool shell`. */
  readonly label: string;
  readonly callId: CallId | undefined;
  /** Tokens when it was last sent, estimated. */
  readonly tokens: number;
  /** Requests that carried it. */
  readonly requests: number;
  /** Integer pico-dollars. */
  readonly costPico: number;
}

interface Sum {
  readonly part: PromptPart;
  tokens: number;
  requests: number;
  cost: number;
}

/** The dearest first. Requests without rates are left out: what is not known is not shared out. */
export function carriedOf(events: readonly LoggedEvent[]): readonly Carried[] {
  const parts = promptParts();
  const sums = new Map<PromptPart, Sum>();
  const asked = new Map<RequestId, readonly (readonly [PromptPart, number])[]>();
  let last: readonly (readonly [PromptPart, number])[] = [];
  let copiedThrough = 0;
  for (const logged of events) {
    const { seq, event } = logged;
    if (event.kind === 'session.created') copiedThrough = event.forkOf?.seq ?? 0;
    if (event.kind === 'request.started' && event.purpose !== 'compaction') {
      // As it was sent: what came while it was answered is not in it, and what keeps it warm is the one before.
      if (event.purpose === undefined || last.length === 0) last = parts.weights();
      asked.set(event.requestId, last);
    }
    if (event.kind === 'assistant.finished' || event.kind === 'request.failed') {
      const { usage, rates } = event;
      const sent = asked.get(event.requestId);
      asked.delete(event.requestId);
      if (sent && usage?.reported && rates !== undefined && seq > copiedThrough) charge(sums, sent, usage, rates);
    }
    parts.apply(logged);
  }
  return [...sums.values()].map(carried).sort((a, b) => b.costPico - a.costPico);
}

function carried({ part, tokens, requests, cost }: Sum): Carried {
  const { kind, label, callId } = part;
  return { kind, label, callId, tokens: Math.round(tokens), requests, costPico: Math.round(cost) };
}

function charge(
  sums: Map<PromptPart, Sum>,
  sent: readonly (readonly [PromptPart, number])[],
  usage: Usage,
  rates: Rates,
): void {
  const { uncached, cacheRead, cacheWrite } = usage;
  const all = sent.reduce((sum, [, weight]) => sum + weight, 0);
  if (all === 0) return;
  const scale = (uncached + cacheRead + cacheWrite) / all;
  const price = priceUpTo(usage, rates);
  let at = 0;
  for (const [part, weight] of sent) {
    const tokens = weight * scale;
    const sum = sums.get(part) ?? { part, tokens: 0, requests: 0, cost: 0 };
    sum.tokens = tokens;
    sum.requests += 1;
    sum.cost += price(at + tokens) - price(at);
    sums.set(part, sum);
    at += tokens;
  }
}

/** What the first so many tokens of a prompt cost: the cache holds its beginning. */
function priceUpTo({ cacheRead, cacheWrite, cacheWrite1h = 0 }: Usage, rates: Rates): (tokens: number) => number {
  const long = Math.min(cacheWrite1h, cacheWrite);
  const writes = (cacheWrite - long) * rates.cacheWrite + long * (rates.cacheWrite1h ?? rates.cacheWrite);
  const write = cacheWrite === 0 ? 0 : writes / cacheWrite;
  return (tokens) => {
    const read = Math.min(tokens, cacheRead);
    const written = Math.min(tokens - read, cacheWrite);
    return read * rates.cacheRead + written * write + (tokens - read - written) * rates.input;
  };
}
