/**
 * Rent or rewrite: decides before a request whether old results leave the prompt. They cost rent, the read price on every
 * request; taking them out writes the tail behind them anew, once. They go when the rent that they have paid since they
 * grew old reaches the price of that rewrite, and of writing once more what the session is likely to ask for again: then no
 * foreknowledge would have saved more than as much again.
 * Invariant: a plan is a function of the view; rent is counted from the log and never remembered.
 */
import { compactionRent } from './compaction-rent.ts';
import { type Layout, layOut, type Part } from './trimmable.ts';
import type { PlannerView } from './view.ts';

export type Plan = KeepPlan | TrimPlan | CompactPlan;

interface Reasoned {
  /** One line for people. */
  readonly reason: string;
  readonly figures: Figures;
}

export interface KeepPlan extends Reasoned {
  readonly kind: 'keep';
}

export interface TrimPlan extends Reasoned {
  readonly kind: 'trim';
  readonly results: readonly string[];
  readonly inputs: readonly string[];
  /** The requests in front of which lists stand that are no longer true. */
  readonly lists: readonly number[];
  /** The oldest request whose results stay whole. */
  readonly keptFrom: number;
  /** The request at whose tail the last surviving cache entry lies. */
  readonly entryAt: number | undefined;
}

export interface CompactPlan extends Reasoned {
  readonly kind: 'compact';
}

/** In tokens; costs in tokens at the price of uncached input. */
export interface Figures {
  /** D: what a trim cuts. */
  readonly cut: number;
  /** C: what the provider reads if nothing changes. */
  readonly read: number;
  /** K: what of it survives a trim. */
  readonly kept: number;
  /** S: what a trim writes anew. */
  readonly rewritten: number;
  /** What the cut has paid so far, this request included. */
  readonly rent: number;
  /** What the rent must reach. */
  readonly price: number;
  /** The next request as it is, and after the trim. */
  readonly costKept: number;
  readonly costTrimmed: number;
}

/** Less is not worth a break of the prefix. */
export const leastCut = 1_000;
/** The second rung of the ladder: what stays whole when trimming to the window is not enough. */
const shortWindow = 2;

/**
 * When old results leave: `due`, once they have paid for it; `every` before each request, whatever that costs; `never`
 * below the ceiling. The last two are there to be compared with.
 */
export type ReliefRule = 'due' | 'every' | 'never';

export function planRelief(view: PlannerView, rule: ReliefRule = 'due'): Plan {
  const layout = layOut(view);
  const above = layout.prompt > view.model.ceiling;
  if (above) return relieveCeiling(view, layout);
  const compaction = compactionRent(view, layout.prompt);
  const best = rule === 'every' ? wholeCut(view, layout) : bestCut(view, layout);
  if (rule === 'never') return keep(best.figures, 'nothing is cleared below the ceiling, as it is set');
  if (view.model.bindsReasoning && !view.turnStart)
    return keep(best.figures, 'the model binds its reasoning: nothing changes within a turn');
  if (view.compacts && compaction.due) return { kind: 'compact', reason: compaction.reason, figures: best.figures };
  if (best.figures.cut < leastCut) return keep(best.figures, 'nothing old enough to clear');
  if (rule === 'every') return trim(view, best, view.window, 'old results go before every request, as it is set');
  if (best.figures.rent < best.figures.price) return keep(best.figures, 'clearing costs more than it has paid');
  if (view.compacts && compaction.dueWith(best.figures.price)) {
    const reason =
      'old results have paid for their rewrite, and the price of it brings the summary that follows: it is made at once';
    return { kind: 'compact', reason, figures: best.figures };
  }
  return trim(
    view,
    best,
    view.window,
    view.read === 0 ? 'the cache is cold' : 'old results have paid for their rewrite',
  );
}

/** A way to trim: everything from one part on. */
interface Cut {
  readonly parts: readonly Part[];
  readonly figures: Figures;
  /** Tokens that are expected to be asked for again. */
  readonly returning: number;
}

/**
 * Begins where rent exceeds price most: each part must pay for what it makes be written anew. Usually that is all there
 * is; a part that came free late, when its protection ended, lies far in front, and all behind it would be rewritten.
 */
function bestCut(view: PlannerView, layout: Layout): Cut {
  const whole = wholeCut(view, layout);
  let best = { from: 0, excess: excessOf(view, layout.parts[0], { ...whole.figures, returning: whole.returning }) };
  let { cut, rent } = whole.figures;
  let { returning } = whole;
  for (let from = 0; view.cutsPart && cut >= leastCut; from++) {
    const first = layout.parts[from];
    if (first === undefined) break;
    const excess = excessOf(view, first, { cut, rent, returning });
    if (excess > best.excess) best = { from, excess };
    cut -= first.gain;
    rent -= first.rent;
    returning -= first.returning;
  }
  return best.from === 0 ? whole : wholeCut(view, { ...layout, parts: layout.parts.slice(best.from) });
}

/** What it has paid beyond the price of its rewrite. */
function excessOf(
  view: PlannerView,
  first: Part | undefined,
  { cut, rent, returning }: Pick<Figures, 'cut' | 'rent'> & Pick<Cut, 'returning'>,
): number {
  return rent - (view.model.write - view.model.read) * rewrittenBy(view, first, cut) - askingAgain(view, returning);
}

/** What is asked for again is written once more. After a cold moment it is written in any case. */
function askingAgain({ read, model }: PlannerView, returning: number): number {
  return read === 0 ? 0 : model.write * returning;
}

/** S. */
function rewrittenBy({ read }: PlannerView, first: Part | undefined, cut: number): number {
  return Math.max(0, read - Math.min(read, first?.kept ?? read) - cut);
}

function wholeCut(view: PlannerView, { parts, prompt }: Layout): Cut {
  const { read, model } = view;
  const cut = sum(parts, (part) => part.gain);
  const kept = Math.min(read, parts[0]?.kept ?? read);
  const rewritten = rewrittenBy(view, parts[0], cut);
  const returning = sum(parts, (part) => part.returning);
  const figures: Figures = {
    cut,
    read,
    kept,
    rewritten,
    rent: sum(parts, (part) => part.rent),
    price: (model.write - model.read) * rewritten + askingAgain(view, returning) + lostReasoning(view),
    costKept: model.read * read + model.write * (prompt - read),
    costTrimmed: model.read * kept + model.write * (prompt - cut - kept),
  };
  return { parts, figures, returning };
}

/** What the window's reasoning cost to write: where an edit makes it void, the model has to think it again. */
function lostReasoning({ model, requests, window }: PlannerView): number {
  if (!model.bindsReasoning) return 0;
  return model.output * sum(requests.slice(-window), (request) => request.reasoning);
}

/** The ladder: to the window, to two requests, then compact. */
function relieveCeiling(view: PlannerView, layout: Layout): Plan {
  const toWindow = wholeCut(view, layout);
  const fits = ({ figures }: Cut) => figures.cut >= leastCut && layout.prompt - figures.cut <= view.model.ceiling;
  const above = `the prompt is above ${Math.round(view.model.ceiling)} tokens`;
  if (fits(toWindow)) return trim(view, toWindow, view.window, above);
  const toTwo = wholeCut(view, layOut(view, shortWindow));
  if (!fits(toTwo) && view.compacts) return { kind: 'compact', reason: above, figures: toTwo.figures };
  if (toTwo.figures.cut < leastCut) return keep(toTwo.figures, `${above} and there is nothing to clear`);
  return trim(view, toTwo, shortWindow, above);
}

function keep(figures: Figures, reason: string): KeepPlan {
  return { kind: 'keep', reason, figures };
}

function trim(view: PlannerView, { parts, figures }: Cut, window: number, reason: string): TrimPlan {
  const of = (kind: Part['kind']) => parts.filter((part) => part.kind === kind).map((part) => part.id);
  const keptFrom = Math.max(0, view.requests.length - window);
  return {
    kind: 'trim',
    reason,
    figures,
    results: of('result'),
    inputs: of('input'),
    lists: of('list').map(Number),
    keptFrom,
    entryAt: parts[0]?.entryAt,
  };
}

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}
