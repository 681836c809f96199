/** Planner views told by what each request brings: one result of so many tokens, stubs of 100, a fixed part of 4,000. */
import type { CallLoad, PlannerModel, PlannerView, RequestLoad } from '@zerd/core/context/relieve/view';

export const model: PlannerModel = {
  read: 0.1,
  write: 1.25,
  output: 5,
  cache: { kind: 'marks' },
  minPrefix: 1_024,
  bindsReasoning: false,
  ceiling: 180_000,
};

export type Brings = number | (Partial<RequestLoad> & { readonly call?: Partial<CallLoad> });

/** The view before the next request: all so far warm, each prompt's tail an entry of the cache. */
export function viewOf(brings: readonly Brings[], more: Partial<PlannerView> = {}): PlannerView {
  let at = more.fixed ?? 4_000;
  let prompt = 0;
  const requests = brings.map((one, index): RequestLoad => {
    const { call = {}, ...own } = typeof one === 'number' ? { call: { result: one } } : one;
    const load = { before: 0, list: 0, answer: 0, reasoning: 0, entry: true, ...own };
    const { result = 0, input = 0 } = call;
    prompt = at + load.before;
    at += load.before + load.answer + input + result;
    const stubs = { inputStub: input, resultStub: Math.min(100, result), protectedUntil: 0, returns: 0 };
    return { calls: [{ callId: `c${index + 1}`, since: index, input, result, ...stubs, ...call }], prompt, ...load };
  });
  return {
    fixed: 4_000,
    digest: 0,
    summaryWritten: undefined,
    requests,
    before: 0,
    read: prompt,
    resetAt: 0,
    compactedAt: 0,
    turnStart: false,
    model,
    window: 6,
    cutsPart: true,
    stubsInputs: true,
    compacts: false,
    ...more,
  };
}

/** `count` requests that bring the same. */
export function times(count: number, brings: Brings): readonly Brings[] {
  return Array.from({ length: count }, () => brings);
}
