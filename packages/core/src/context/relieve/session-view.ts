/**
 * Makes the planner's view of a session out of its fold: sizes in tokens of the model in use, what is protected, and where
 * the provider is believed to hold entries. Invariant: same log and moment, same view, in any process.
 */
import type { AnsweredRequest, SessionState } from '../../session/state.ts';
import { callLoads, type Weigh } from './call-loads.ts';
import { expectedRead } from './expected-read.ts';
import type { RelievedModel } from './planner-model.ts';
import { promptOf } from './prompt-tokens.ts';
import { addBytes, type ByClass, fitRates, noBytes, type RateSample, tokensOf } from './token-rates.ts';
import { type RequestPart, type Size, sizeOfText, takeApart } from './transcript.ts';
import type { CallLoad, PlannerView, RequestLoad } from './view.ts';

export interface Moment {
  readonly model: RelievedModel;
  /** Milliseconds of the epoch. */
  readonly now: number;
  readonly window: number;
  readonly compacts: boolean;
}

export interface SessionView {
  readonly view: PlannerView;
  readonly parts: readonly RequestPart[];
}

export function viewSession(state: SessionState, moment: Moment): SessionView {
  const parts = takeApart(state);
  const answered = parts.length - 1;
  const rates = fitRates(samplesOf(parts, state));
  const by = stretchOf(parts, state, rates);
  const weigh: Weigh = (size, most = size.bytes) => (Math.min(size.bytes, most) / rates[size.class]) * by;
  const calls = callLoads(parts, { trims: state.trims, weigh, window: moment.window });
  const entry = entriesOf(parts, state, moment);
  const loads = parts.map((part, index) => requestLoad(part, calls[index] ?? [], entry(index), weigh));
  const view: PlannerView = {
    fixed: tokensOf(fixedBytes(state), rates) * by,
    digest: tokensOf(digestBytes(state), rates) * by,
    summaryWritten: state.compactions.newest?.written,
    requests: loads.slice(0, answered),
    before: loads[answered]?.before ?? 0,
    read: expectedRead(state, moment.model, moment.now),
    resetAt: resetAt(parts, state),
    compactedAt: compactedAt(state),
    turnStart: (state.turn?.requests ?? 0) === 0,
    model: moment.model,
    window: moment.window,
    cutsPart: true,
    stubsInputs: !moment.model.bindsReasoning,
    compacts: moment.compacts,
  };
  return { view, parts };
}

/** Sizes are estimates; the last prompt's size is known. All are stretched so that they add up to it. */
function stretchOf(parts: readonly RequestPart[], state: SessionState, rates: ByClass): number {
  const last = parts.length - 2;
  const prompt = last < compactedAt(state) ? 0 : promptIn(parts[last]);
  if (prompt === 0) return 1;
  let guess = tokensOf(fixedBytes(state), rates) + tokensOf(digestBytes(state), rates);
  const add = ({ bytes, class: of }: Size) => {
    guess += bytes / rates[of];
  };
  parts.slice(0, last + 1).forEach((part, index) => {
    part.before.forEach(add);
    for (const note of part.notes) add(note.size);
    if (index === last) return;
    part.answer.forEach(add);
    part.reasoning.forEach(add);
    for (const call of part.calls) [call.input, call.result, call.images].forEach(add);
  });
  return prompt / guess;
}

function promptIn(part: RequestPart | undefined): number {
  return part?.request === undefined ? 0 : promptOf(part.request.usage);
}

function fixedBytes({ created }: SessionState): ByClass {
  return bytesOf([sizeOfText(created.system), sizeOfText(created.tools)]);
}

/** What the newest compaction left in front. */
function digestBytes({ compactions: { newest } }: SessionState): ByClass {
  return newest === undefined ? noBytes : bytesOf([sizeOfText(newest.summary)]);
}

/** How many of the requests in the transcript are older than the newest compaction: their prompts began otherwise. */
function compactedAt({ compactions: { newest } }: SessionState): number {
  return newest?.kept ?? 0;
}

/** What is older has no weight left. */
const recentSamples = 48;

/** What came between two requests of the model in use; across a trim or a compaction the difference says nothing. */
function samplesOf(parts: readonly RequestPart[], state: SessionState): readonly RateSample[] {
  const first = Math.max(0, parts.length - recentSamples);
  return parts.slice(first).flatMap((part, place): readonly RateSample[] => {
    const index = first + place;
    const previous = parts[index - 1];
    const [now, before] = [part.request, previous?.request];
    if (now === undefined || now.model !== state.model || !now.usage.reported) return [];
    if (previous === undefined && compactedAt(state) === 0) {
      const whole = addBytes(addBytes(fixedBytes(state), digestBytes(state)), bytesOf(part.before));
      return [{ bytes: whole, tokens: promptOf(now.usage) }];
    }
    if (previous === undefined || index === compactedAt(state)) return [];
    if (before?.model !== state.model || !before.usage.reported || part.trimmed) return [];
    const brought = previous.calls.flatMap((call) => [call.input, call.result, call.images]);
    const bytes = bytesOf([...previous.answer, ...previous.reasoning, ...brought, ...part.before]);
    return [{ bytes, tokens: promptOf(now.usage) - promptOf(before.usage) }];
  });
}

function bytesOf(sizes: readonly Size[]): ByClass {
  const sum = { ...noBytes };
  for (const size of sizes) (sum as Record<Size['class'], number>)[size.class] += size.bytes;
  return sum;
}

/** How many requests were answered at the newest trim; 0: there was none. */
function trimmedAt(parts: readonly RequestPart[]): number {
  return Math.max(
    0,
    parts.findLastIndex((part) => part.trimmed),
  );
}

function resetAt(parts: readonly RequestPart[], state: SessionState): number {
  const { model } = state;
  const other = parts.findLastIndex(({ request }) => request !== undefined && request.model !== model);
  return Math.max(trimmedAt(parts), other + 1, compactedAt(state));
}

function requestLoad(part: RequestPart, calls: readonly CallLoad[], entry: boolean, weigh: Weigh): RequestLoad {
  const all = (sizes: readonly Size[]) => sizes.reduce((sum, size) => sum + weigh(size), 0);
  const list = part.notes.reduce((sum, note) => sum + weigh(note.size), 0);
  const reasoning = all(part.reasoning);
  return {
    before: all(part.before) + list,
    list,
    answer: all(part.answer) + reasoning,
    reasoning,
    calls,
    prompt: promptIn(part),
    entry,
  };
}

/**
 * Whether an entry lives at the tail of a request's prompt. A tail is used once more, by the request behind it; the mark
 * behind what the newest trim made final is used by every one. What a trim or a compaction changed has no entry from
 * before it.
 */
function entriesOf(parts: readonly RequestPart[], state: SessionState, { model, now }: Moment) {
  const { requests, trims } = state;
  const trimAt = trimmedAt(parts);
  const lives = (request: AnsweredRequest | undefined) =>
    request !== undefined && now - request.startedAt <= model.cacheMs;
  return (index: number): boolean => {
    const request = requests[index];
    if (request === undefined || index < compactedAt(state)) return false;
    const isBoundary = request.requestId === trims.newest?.keptFrom && trimAt < requests.length;
    if (isBoundary) return lives(requests.at(-1));
    const stands = index >= trimAt || request.requestId === trims.newest?.entryAt;
    return stands && lives(requests[index + 1] ?? request);
  };
}
