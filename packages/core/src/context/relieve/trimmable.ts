/**
 * Finds what a trim could cut now, in the order of the prompt: old results that are not protected, old arguments, and the
 * list of an earlier trim. Each part carries the rent that it has paid, so that no rent has to be remembered: a result
 * pays from the request at which it left the window, came free of its protection or survived the last reset.
 */
import type { CallLoad, PlannerView, RequestLoad } from './view.ts';

export interface Part {
  readonly kind: 'result' | 'input' | 'list';
  /** Of the call; of a list: the number of the request in front of which it stands. */
  readonly id: string;
  /** Tokens that a trim takes away. */
  readonly gain: number;
  readonly rent: number;
  /** Tokens of it that are expected to be asked for again. */
  readonly returning: number;
  /** Tokens in front of it up to the last cache entry: what survives when this is the first part that changes. */
  readonly kept: number;
  /** The request at whose tail that entry lies; undefined: the end of the fixed part, or none. */
  readonly entryAt: number | undefined;
}

export interface Layout {
  /** What may be cut, in the order of the prompt. */
  readonly parts: readonly Part[];
  /** The next prompt if nothing is cut. */
  readonly prompt: number;
}

/** `window`: how many of the newest requests stay whole. */
export function layOut(view: PlannerView, window: number = view.window): Layout {
  const parts: Part[] = [];
  const entries = trackEntries(view);
  const old = view.requests.length - window;
  let at = view.fixed + view.digest;
  view.requests.forEach((request, index) => {
    const cut = (kind: Part['kind'], id: string, gain: number, from: number, returns = 0) => {
      if (gain <= 0) return;
      parts.push({ kind, id, gain, rent: rentOf(view, gain, from), returning: gain * returns, ...entries.at(at) });
    };
    at += request.before - request.list;
    // A list of what was cleared stands for nothing of its own: it pays nothing and goes with the next trim.
    cut('list', String(index), request.list, Number.POSITIVE_INFINITY);
    at += request.list;
    entries.pass(index, request, at);
    at += request.answer;
    for (const call of request.calls) {
      if (view.stubsInputs && call.since < old)
        cut('input', call.callId, call.input - call.inputStub, call.since + window);
      at += call.input;
    }
    for (const call of request.calls) {
      if (call.since < old && call.protectedUntil <= view.requests.length)
        cut('result', call.callId, call.result - call.resultStub, freeSince(call, window), call.returns);
      at += call.result;
    }
  });
  return { parts, prompt: at + view.before };
}

/** The number of answered requests after which it could be cut for the first time, less one. */
function freeSince({ since, protectedUntil }: CallLoad, window: number): number {
  return Math.max(since + window, protectedUntil - 1);
}

/** A payment for every request since `from` were answered, the one that is planned now included. */
function rentOf(view: PlannerView, gain: number, from: number): number {
  return view.model.read * gain * Math.max(0, view.requests.length - Math.max(from, view.resetAt));
}

interface Entry {
  readonly kept: number;
  readonly entryAt: number | undefined;
}

/** What the cache still covers in front of a place in the prompt. */
function trackEntries({ fixed, digest, model }: PlannerView) {
  const { cache, minPrefix } = model;
  const first = fixed + digest;
  let last: Entry = { kept: first >= minPrefix ? first : 0, entryAt: undefined };
  return {
    /** Goes past the tail of a request's prompt. */
    pass(index: number, { entry }: RequestLoad, tail: number): void {
      if (entry && tail >= minPrefix) last = { kept: tail, entryAt: index };
    },
    at(place: number): Entry {
      if (cache.kind === 'marks') return last;
      const whole = cache.kind === 'prefix' && place >= minPrefix ? place - (place % cache.step) : 0;
      return { kept: whole, entryAt: undefined };
    },
  };
}
