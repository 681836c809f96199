/**
 * What each request carried, in four kinds: what is fixed, what was said, and what tools answered. A pure function of the
 * log. Invariant: where the provider counted the prompt, the kinds add up to its count; else they are estimates.
 */
import type { LoggedEvent } from '@zerd/protocol/common/event';
import type { RequestId } from '@zerd/protocol/common/ids';
import { promptOf } from '../context/relieve/prompt-tokens.ts';
import { type PromptPart, promptParts } from './prompt-parts.ts';

/** Tokens. */
export interface CarriedByKind {
  readonly system: number;
  readonly tools: number;
  readonly messages: number;
  readonly results: number;
}

/** Requests with a prompt of their own are left out: what they carry is no part of the session's prompt. */
export function carriedByRequest(events: readonly LoggedEvent[]): ReadonlyMap<RequestId, CarriedByKind> {
  const parts = promptParts();
  const found = new Map<RequestId, CarriedByKind>();
  let last: CarriedByKind | undefined;
  for (const logged of events) {
    const { event } = logged;
    if (event.kind === 'request.started' && event.covers === undefined) {
      // What keeps a prompt warm is the one before.
      const sent = event.purpose === 'keepWarm' && last !== undefined ? last : sumsOf(parts.weights());
      if (event.purpose === undefined) last = sent;
      found.set(event.requestId, scaled(sent));
    }
    if (event.kind === 'assistant.finished' || event.kind === 'request.failed') {
      const sent = found.get(event.requestId);
      if (sent !== undefined && event.usage?.reported === true)
        found.set(event.requestId, scaled(sent, promptOf(event.usage)));
    }
    parts.apply(logged);
  }
  return found;
}

function sumsOf(weights: readonly (readonly [PromptPart, number])[]): CarriedByKind {
  const sums = { system: 0, tools: 0, messages: 0, results: 0 };
  for (const [part, weight] of weights) sums[kindOf(part)] += weight;
  return sums;
}

function kindOf({ kind, callId }: PromptPart): keyof CarriedByKind {
  switch (kind) {
    case 'system':
      return 'system';
    case 'tool':
      return 'tools';
    case 'result':
    case 'skill':
      return 'results';
    case 'rules':
      // Those of a folder come with the result of a call.
      return callId === undefined ? 'system' : 'results';
    default:
      return 'messages';
  }
}

/** Whole tokens that add up to the whole total: each kind is rounded where it ends, not by itself. */
function scaled({ system, tools, messages, results }: CarriedByKind, total?: number): CarriedByKind {
  const sum = system + tools + messages + results;
  if (sum === 0) return { system: 0, tools: 0, messages: total ?? 0, results: 0 };
  const end = (weight: number) => Math.round((weight / sum) * (total ?? sum));
  const [first, second, third] = [end(system), end(system + tools), end(system + tools + messages)];
  return { system: first, tools: second - first, messages: third - second, results: end(sum) - third };
}
