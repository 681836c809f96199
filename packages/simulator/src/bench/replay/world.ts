/** A session as it is played: what the prompt shows of it now, and what the planner is told. */
import { chancesOfReturn } from '@zerd/core/context/relieve/chance-of-return';
import { digestTokens } from '@zerd/core/context/relieve/compaction-rent';
import type { TrimPlan } from '@zerd/core/context/relieve/plan-relief';
import { type CallFacts, protect } from '@zerd/core/context/relieve/protect';
import { type CallLoad, defaultWindow, type PlannerView, type RequestLoad } from '@zerd/core/context/relieve/view';
import { outputPrice, prefixStep, type ReplayPrice } from './prices.ts';
import type { Block } from './prompt-cache.ts';
import type { RecordedCall } from './shapes.ts';

export const fixedTokens = 4_000;
/** Somewhat more than a cleared result takes with its line and its place in the note: the figures err on the dear side. */
export const stubTokens = 180;
const listTokens = 25;
const inputStubTokens = 40;

export interface PlayedCall extends RecordedCall {
  /** Block ids follow from it. */
  readonly id: number;
  readonly request: number;
  /** Its like had been cleared before it. */
  readonly again: boolean;
  cut: boolean;
  inputCut: boolean;
}

export interface PlayedRequest {
  readonly before: number;
  /** Tokens in front of its answer that list what a trim cleared. */
  list: number;
  readonly calls: PlayedCall[];
  /** A summary stands for it: only what the user said is left. */
  gone: boolean;
  /** Tokens of its prompt as it was sent. */
  prompt: number;
}

export interface World {
  readonly price: ReplayPrice;
  readonly closed: boolean;
  readonly requests: PlayedRequest[];
  readonly calls: PlayedCall[];
  /** How many compactions there were: the newest digest's id. */
  compactions: number;
  resetAt: number;
  compactedAt: number;
  /** The request at whose tail the newest trim's final part ends. */
  boundary: number | undefined;
}

export function openWorld(price: ReplayPrice, closed: boolean): World {
  return { price, closed, requests: [], calls: [], compactions: 0, resetAt: 0, compactedAt: 0, boundary: undefined };
}

/** The prompt that would be sent now, and how many blocks of it lie in front of each request's answer. */
export function blocksOf(world: World): { readonly blocks: readonly Block[]; readonly tails: readonly number[] } {
  const blocks: Block[] = [{ id: 1, tokens: fixedTokens }];
  if (world.compactions > 0) blocks.push({ id: -world.compactions, tokens: digestTokens });
  const leaves = world.closed ? stubTokens - listTokens : stubTokens;
  const tails = world.requests.map((request, index) => {
    if (request.before > 0) blocks.push({ id: index * 2 + 1e6, tokens: request.before });
    if (request.list > 0) blocks.push({ id: index * 2 + 1e6 + 1, tokens: request.list });
    const tail = blocks.length;
    if (request.gone) return tail;
    for (const call of request.calls) blocks.push({ id: call.id + (call.inputCut ? 0.5 : 0), tokens: inputOf(call) });
    for (const call of request.calls)
      blocks.push({ id: call.id + (call.cut ? 0.75 : 0.25), tokens: resultOf(call, leaves) });
    return tail;
  });
  return { blocks, tails };
}

function inputOf(call: PlayedCall): number {
  return call.inputCut ? Math.min(call.input, inputStubTokens) : call.input;
}

function resultOf(call: PlayedCall, leaves: number): number {
  return call.cut ? Math.min(call.result, leaves) : call.result;
}

export interface Moment {
  readonly before: number;
  readonly turnStart: boolean;
  /** What the provider will read if nothing changes. */
  readonly read: number;
  readonly ceiling: number;
  /** Whether an entry lies at the tail of a request's prompt. */
  readonly entry: (request: number) => boolean;
}

export function viewOf(world: World, moment: Moment): PlannerView {
  const facts = world.closed ? world.calls.map(factsOf) : [];
  const until = protect(facts);
  const returns = chancesOfReturn(facts, world.requests.length, defaultWindow);
  const hopes = new Map(
    world.calls.map((call, index) => [call.id, { until: until[index] ?? 0, returns: returns[index] ?? 0 }]),
  );
  const { read, write, cache, bound } = world.price;
  return {
    fixed: fixedTokens,
    digest: world.compactions > 0 ? digestTokens : 0,
    summaryWritten: undefined,
    requests: world.requests.map((request, index) => loadOf(request, moment.entry(index), hopes)),
    before: moment.before,
    read: moment.read,
    resetAt: world.resetAt,
    compactedAt: world.compactedAt,
    turnStart: moment.turnStart,
    model: {
      read,
      write,
      output: outputPrice,
      cache: cache === 'prefix' ? { kind: 'prefix', step: prefixStep } : { kind: cache },
      minPrefix: 1_024,
      bindsReasoning: bound,
      ceiling: moment.ceiling,
    },
    window: defaultWindow,
    cutsPart: world.closed,
    stubsInputs: world.closed,
    compacts: world.closed,
  };
}

/** How long a result is protected, and how likely it is asked for again. */
interface Hope {
  readonly until: number;
  readonly returns: number;
}

function loadOf(request: PlayedRequest, entry: boolean, hopes: ReadonlyMap<number, Hope>): RequestLoad {
  const { before, list, prompt } = request;
  const calls = request.gone ? [] : request.calls.map((call) => callLoad(call, hopes.get(call.id)));
  return { before: before + list, list, answer: 0, reasoning: 0, calls, prompt, entry };
}

function callLoad(call: PlayedCall, { until, returns }: Hope = { until: 0, returns: 0 }): CallLoad {
  const [input, result] = [inputOf(call), resultOf(call, stubTokens)];
  const stubbed = call.kind === 'edit' || call.kind === 'write';
  return {
    callId: String(call.id),
    since: call.request,
    input,
    inputStub: stubbed ? Math.min(input, inputStubTokens) : input,
    result,
    resultStub: call.cut ? result : Math.min(result, stubTokens),
    protectedUntil: until,
    returns,
  };
}

function factsOf(call: PlayedCall): CallFacts {
  const { kind, file, failed, again, request } = call;
  const use =
    kind === 'edit' || kind === 'write' ? 'edit' : kind === 'read' ? 'read' : kind.startsWith('sh') ? 'run' : 'other';
  return { request, file: file === undefined ? undefined : String(file), use, failed, again };
}

/** Carries out a trim. Gives the tokens of its list. */
export function trimWorld(world: World, plan: TrimPlan): number {
  const results = new Set(plan.results);
  const inputs = new Set(plan.inputs);
  for (const call of world.calls) {
    call.cut ||= results.has(String(call.id));
    call.inputCut ||= inputs.has(String(call.id));
  }
  for (const index of plan.lists) {
    const request = world.requests[index];
    if (request !== undefined) request.list = 0;
  }
  world.resetAt = world.requests.length;
  world.boundary = plan.keptFrom;
  return world.closed ? listTokens * results.size : 0;
}

export function compactWorld(world: World): void {
  const keptFrom = Math.max(0, world.requests.length - defaultWindow);
  world.requests.forEach((request, index) => {
    request.gone ||= index < keptFrom;
    request.list = 0;
  });
  world.compactions += 1;
  world.resetAt = world.requests.length;
  world.compactedAt = world.requests.length;
  world.boundary = undefined;
}
