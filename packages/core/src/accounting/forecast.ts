/**
 * Foresees what the next message costs on its input side before it is sent: by the planner that will decide then, what is
 * read, what is written anew and why, and what else could be done. A pure function of log, moment and model. Invariant:
 * without a price there is none, never 0 (I11).
 */
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { TurnId } from '@zerd/protocol/common/ids';
import { compactionRent, digestTokens, summaryTokens } from '../context/relieve/compaction-rent.ts';
import { expectedRead } from '../context/relieve/expected-read.ts';
import { type Plan, planRelief, type ReliefRule, type TrimPlan } from '../context/relieve/plan-relief.ts';
import type { RelievedModel } from '../context/relieve/planner-model.ts';
import { promptOf } from '../context/relieve/prompt-tokens.ts';
import { type SessionView, viewSession } from '../context/relieve/session-view.ts';
import { layOut } from '../context/relieve/trimmable.ts';
import type { PlannerView } from '../context/relieve/view.ts';
import { applyEvent } from '../session/fold.ts';
import type { SessionState } from '../session/state.ts';
import { tierOf } from './cost.ts';
import { inWords } from './duration.ts';
import { foreseeTrim } from './foreseen-trim.ts';
import { type MeasuredPrompt, measurePrompt } from './measured-prompt.ts';
import type { Price } from './price.ts';

export interface ForecastMoment {
  readonly model: RelievedModel;
  readonly price: Price | null;
  /** Milliseconds of the epoch. */
  readonly now: number;
  readonly window: number;
  readonly rule: ReliefRule;
  readonly compacts: boolean;
  /** Its wire takes marks: what is written is charged as written. On others the endpoint's own reports tell. */
  readonly marks: boolean;
  /** System text and tools: when they were last sent to this model, by whichever session, and their tokens where known. */
  readonly fixed?: { readonly usedAt: number; readonly tokens: number | undefined };
}

export interface Way {
  readonly kind: 'send' | 'compact' | 'new';
  /** Input of the next request and of what must be asked before it; null: unpriced. */
  readonly costPico: number | null;
  /** Tokens of the prompt that the work then goes on with. */
  readonly prompt: number;
}

export interface Forecast {
  /** What zerd will do by itself before it sends. */
  readonly plan: Plan['kind'];
  /** Tokens of the next request. */
  readonly prompt: number;
  readonly read: number;
  /** What must be written that was there before: the rest of `prompt - read` is new. */
  readonly rewritten: number;
  /** The input of the next request; null: unpriced. */
  readonly costPico: number | null;
  /** Why it is rewritten, one line; undefined: it is not. */
  readonly why: string | undefined;
  readonly ways: readonly Way[];
}

/** `text`: the message that is about to be sent. */
export function forecast(before: SessionState, text: string, asked: ForecastMoment): Forecast {
  const moment = { ...asked, marks: writes(before, asked) };
  const { model, now, window, rule, compacts } = moment;
  const state = withMessage(before, text, now);
  const session = viewSession(state, { model, now, window, compacts });
  const { view } = session;
  const plan = planRelief(view, rule);
  const fixed = fixedHeld(view, moment);
  const measured = measurePrompt(state, moment.fixed?.tokens ?? view.fixed);
  const whole = { prompt: measured?.tokens ?? layOut(view).prompt, read: Math.max(heldNow(view), fixed) };
  const next =
    plan.kind === 'trim'
      ? trimmed(state, session, { plan, measured, whole, fixed })
      : plan.kind === 'compact'
        ? afterSummary(view, whole, fixed)
        : whole;
  const held = before.lastRequest === undefined ? 0 : promptOf(before.lastRequest.usage);
  const rewritten = Math.round(Math.max(0, Math.min(held, next.prompt) - next.read));
  const ask = plan.kind === 'compact' ? summaryCost(view, whole, moment) : 0;
  return {
    plan: plan.kind,
    prompt: Math.round(next.prompt),
    read: Math.round(next.read),
    rewritten,
    costPico: plus(ask, inputCost(next, moment)),
    why: whyRewritten(before, plan, rewritten, moment),
    ways: waysOf(view, whole, { ...next, ask, fixed }, moment),
  };
}

/** Before anything was reported the wire and the price tell: who writes for nothing has no price of its own for it. */
function writes({ requests, model }: SessionState, { marks, price }: ForecastMoment): boolean {
  const own = requests.filter((request) => request.model === model && request.usage.reported);
  if (own.length > 0) return own.some(({ usage }) => usage.cacheWrite > 0);
  return marks || (price !== null && price.cacheWrite !== price.input);
}

const turnId = 'turn_forecast' as TurnId;

function withMessage(before: SessionState, text: string, now: number): SessionState {
  const events: readonly SessionEvent[] = [
    { kind: 'turn.started', turnId },
    { kind: 'message.submitted', turnId, text },
  ];
  return events.reduce((state, event) => applyEvent(state, { seq: state.lastSeq + 1, at: now, event }), before);
}

interface Sent {
  readonly prompt: number;
  readonly read: number;
}

interface Trimming {
  readonly plan: TrimPlan;
  readonly measured: MeasuredPrompt | undefined;
  readonly whole: Sent;
  readonly fixed: number;
}

/** By what was reported; where nothing was, as the planner sees it. */
function trimmed(state: SessionState, session: SessionView, { plan, measured, whole, fixed }: Trimming): Sent {
  const seen = measured && foreseeTrim(state, session, { plan, measured, turnId });
  const { prompt, read } = seen ?? { prompt: whole.prompt - plan.figures.cut, read: plan.figures.kept };
  return { prompt, read: Math.max(read, fixed) };
}

/** What is expected to be read if nothing changes. */
function heldNow({ read, model }: PlannerView): number {
  return inSteps(read, model);
}

/** What every prompt begins with is held as long as anybody used it of late. */
function fixedHeld(view: PlannerView, { now, fixed, model }: ForecastMoment): number {
  const used = view.read > 0 || (fixed !== undefined && now - fixed.usedAt <= model.cacheMs);
  const tokens = fixed?.tokens ?? view.fixed;
  return used && tokens >= model.minPrefix ? inSteps(tokens, model) : 0;
}

/** A prefix cache holds whole steps. */
function inSteps(tokens: number, { cache }: PlannerView['model']): number {
  return cache.kind === 'prefix' ? tokens - (tokens % cache.step) : tokens;
}

function afterSummary(view: PlannerView, { prompt }: Sent, fixed: number): Sent {
  return { prompt: compactionRent(view, prompt).after, read: fixed };
}

/** The summary is asked for behind the prompt: its input, and the words that it takes. */
function summaryCost(view: PlannerView, whole: Sent, { price, ...moment }: ForecastMoment): number | null {
  const rates = price === null ? null : tierOf(price, whole.prompt);
  const input = inputCost(whole, { ...moment, price });
  if (rates === null || input === null) return null;
  return input + Math.round((view.summaryWritten ?? summaryTokens) * rates.output);
}

function inputCost({ prompt, read }: Sent, { price, marks, model }: Pick<ForecastMoment, 'price' | 'marks' | 'model'>) {
  const rates = price === null ? null : tierOf(price, prompt);
  if (rates === null) return null;
  const write = marks && prompt >= model.minPrefix ? rates.cacheWrite : rates.input;
  const cost = Math.round(read * rates.cacheRead + (prompt - read) * write);
  return Number.isSafeInteger(cost) ? cost : null;
}

function plus(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : a + b;
}

function waysOf(
  view: PlannerView,
  whole: Sent,
  next: Sent & { readonly ask: number | null; readonly fixed: number },
  moment: ForecastMoment,
): readonly Way[] {
  const send: Way = {
    kind: 'send',
    costPico: plus(next.ask, inputCost(next, moment)),
    prompt: Math.round(next.prompt),
  };
  const small = afterSummary(view, whole, next.fixed);
  const compact: Way = {
    kind: 'compact',
    costPico: plus(summaryCost(view, whole, moment), inputCost(small, moment)),
    prompt: Math.round(small.prompt),
  };
  const fresh: Sent = { prompt: view.fixed + view.before, read: next.fixed };
  const own: Way = { kind: 'new', costPico: inputCost(fresh, moment), prompt: Math.round(fresh.prompt) };
  const worth = small.prompt + digestTokens < whole.prompt && next.prompt > small.prompt;
  return view.requests.length === 0 ? [send] : [send, ...(worth ? [compact] : []), own];
}

/** Less is noise of estimates. */
const leastRewritten = 1_024;

function whyRewritten(before: SessionState, plan: Plan, rewritten: number, moment: ForecastMoment): string | undefined {
  const { lastRequest, model } = before;
  if (lastRequest === undefined || rewritten < leastRewritten) return undefined;
  if (lastRequest.model !== model) return `another model answers: ${model} holds nothing of it`;
  const away = moment.now - lastRequest.startedAt;
  if (away > moment.model.cacheMs)
    return `idle for ${inWords(away)}, and the provider keeps it for ${inWords(moment.model.cacheMs)}`;
  if (plan.kind === 'trim') return `old results are cleared: ${plan.reason}`;
  if (plan.kind === 'compact') return `a summary takes the place of the older part: ${plan.reason}`;
  return expectedRead(before, moment.model, moment.now) === 0 ? 'nothing of it is in the cache' : undefined;
}
