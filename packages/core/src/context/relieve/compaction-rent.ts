/**
 * Decides when a summary is due. What a compaction would take away costs rent like an old result; what it costs is a read
 * of the prompt, the summary, a new prefix and the work of finding forgotten things again. It is due when the rent since
 * the last compaction reaches twice that price: a summary forgets, a trim does not.
 */
import type { PlannerView } from './view.ts';

export interface CompactionRent {
  readonly due: boolean;
  /** Due once `more` is paid as well: a rewrite that a summary is about to throw away is not made first. */
  dueWith(more: number): boolean;
  readonly rent: number;
  readonly price: number;
  /** The prompt that a compaction would leave. */
  readonly after: number;
  readonly reason: string;
}

/**
 * Tokens of a summary, and what it and the facts that the machine keeps take in the next prompts: until the session's own
 * last one says better.
 */
export const summaryTokens = 3_000;
export const digestTokens = 4_000;
/** What is expected to be looked up again. */
const rework = 8_000;
const certainty = 2;

export function compactionRent(view: PlannerView, prompt: number): CompactionRent {
  const { model, requests } = view;
  const after = promptAfter(view);
  const carried = requests.slice(view.compactedAt).map((request) => Math.max(0, request.prompt - after));
  const rent = model.read * carried.reduce((total, tokens) => total + tokens, Math.max(0, prompt - after));
  const read = view.read === 0 ? model.write * prompt : model.read * prompt;
  const price =
    read + model.output * (view.summaryWritten ?? summaryTokens) + model.write * (after - view.fixed + rework);
  // After a cold moment the trimmed prompt is written first: a summary of it is then cheap.
  const warm = view.read > 0 || model.cache.kind === 'none';
  const dueWith = (more: number) => warm && rent + more >= certainty * price;
  const reason = `old text has cost ${Math.round(rent)} tokens, twice what a summary costs`;
  return { due: dueWith(0), dueWith, rent, price, after, reason };
}

/** The user's messages stay word for word, the newest requests whole. */
function promptAfter(view: PlannerView): number {
  const old = Math.max(0, view.requests.length - view.window);
  let tokens = view.fixed + (view.digest > 0 ? view.digest : digestTokens) + view.before;
  view.requests.forEach((request, index) => {
    tokens += request.before - request.list;
    if (index >= old) tokens += request.answer + request.calls.reduce((sum, call) => sum + call.input + call.result, 0);
  });
  return tokens;
}
