/**
 * Plays a recorded session with the real planner in front of every request, and adds up what it costs: the input side,
 * and the output of summaries. Closed loop, an edit of a file that the prompt no longer shows costs a request of its own
 * that brings the text back. The cache here is the bench's own: the planner only believes, this one knows.
 */
import { summaryTokens } from '@zerd/core/context/relieve/compaction-rent';
import { planRelief } from '@zerd/core/context/relieve/plan-relief';
import { lifetime, outputPrice, type ReplayPrice } from './prices.ts';
import { createPromptCache, type PromptCache } from './prompt-cache.ts';
import type { RecordedCall, RecordedRequest, RecordedSession } from './shapes.ts';
import { blocksOf, compactWorld, openWorld, type PlayedCall, trimWorld, viewOf, type World } from './world.ts';

export interface Loop {
  /** `open`: trims alone. `closed`: protection, argument stubs, compactions and re-reads too. */
  readonly kind: 'append-only' | 'open' | 'closed';
  readonly ceiling: number;
}

export interface Played {
  readonly cost: number;
  /** Before which requests it was trimmed. */
  readonly trims: readonly number[];
  readonly compactions: number;
  readonly rereads: number;
}

interface Play {
  readonly world: World;
  readonly cache: PromptCache;
  readonly loop: Loop;
  readonly price: ReplayPrice;
  cost: number;
  rereads: number;
  readonly trims: number[];
  /** Tokens and time of the last prompt. */
  last: { readonly prompt: number; readonly at: number; readonly turn: number };
}

const rereadInput = 40;
/** How long a re-read takes, in seconds. */
const rereadGap = 5;

export function playSession(session: RecordedSession, price: ReplayPrice, loop: Loop): Played {
  const play: Play = {
    world: openWorld(price, loop.kind === 'closed'),
    cache: createPromptCache(price.cache),
    loop,
    price,
    cost: 0,
    rereads: 0,
    trims: [],
    last: { prompt: 0, at: Number.NEGATIVE_INFINITY, turn: 0 },
  };
  for (const request of session) playRequest(play, request);
  const { cost, trims, rereads, world } = play;
  return { cost, trims, rereads, compactions: world.compactions };
}

function playRequest(play: Play, recorded: RecordedRequest): void {
  let front = relieve(play, recorded, recorded.before);
  for (const text of play.loop.kind === 'closed' ? forgotten(play.world, recorded) : []) {
    send(play, recorded, front, [text], () => true);
    play.rereads += 1;
    front = relieve(play, { ...recorded, at: recorded.at + rereadGap }, 0);
  }
  send(play, recorded, front, recorded.calls, (call) => wasCleared(play.world, call));
}

/** What stands in front of a request: the user's words, the list of a trim, and where that trim lets the cache survive. */
interface Front {
  readonly before: number;
  readonly list: number;
  readonly entryAt: number | undefined;
}

function relieve(play: Play, { at, turn }: RecordedRequest, before: number): Front {
  const untouched = { before, list: 0, entryAt: undefined };
  if (play.loop.kind === 'append-only') return untouched;
  const { world, cache, last } = play;
  const warm = play.price.cache !== 'none' && at - last.at <= lifetime;
  const { tails } = blocksOf(world);
  const plan = planRelief(
    viewOf(world, {
      before,
      turnStart: turn !== last.turn,
      read: warm ? last.prompt : 0,
      ceiling: play.loop.ceiling,
      entry: (request) => cache.holds(tails[request] ?? 0, at),
    }),
  );
  if (plan.kind === 'trim') {
    play.trims.push(world.requests.length);
    return { before, list: trimWorld(world, plan), entryAt: plan.entryAt };
  }
  if (plan.kind === 'compact') summarise(play, at, before);
  return untouched;
}

/** The same model on the prefix just sent. */
function summarise(play: Play, at: number, before: number): void {
  const { world, cache, price } = play;
  const { blocks, tails } = blocksOf(world);
  const prompt = tokensOf(blocks) + before;
  const read = cache.charge(blocks, [1, tails.at(-1) ?? 1], at);
  play.cost += price.read * read + price.write * (prompt - read) + outputPrice * summaryTokens;
  compactWorld(world);
}

function send(
  play: Play,
  { at, turn }: RecordedRequest,
  { before, list, entryAt }: Front,
  calls: readonly RecordedCall[],
  again: (call: RecordedCall) => boolean,
): void {
  const { world, cache, price } = play;
  const index = world.requests.length;
  const request = { before, list, calls: [] as PlayedCall[], gone: false, prompt: 0 };
  world.requests.push(request);
  const { blocks, tails } = blocksOf(world);
  const digest = world.compactions > 0 ? 2 : 1;
  const marked = [world.boundary, entryAt ?? index - 1, index].flatMap((place) => tails[place ?? -1] ?? []);
  const read = cache.charge(blocks, [1, digest, ...marked], at);
  request.prompt = tokensOf(blocks);
  play.cost += price.read * read + price.write * (request.prompt - read);
  play.last = { prompt: request.prompt, at, turn };
  calls.forEach((call, place) => {
    const played = {
      ...call,
      id: 1e3 * index + place + 1e7,
      request: index,
      again: again(call),
      cut: false,
      inputCut: false,
    };
    request.calls.push(played);
    world.calls.push(played);
  });
}

function tokensOf(blocks: readonly { readonly tokens: number }[]): number {
  return blocks.reduce((sum, block) => sum + block.tokens, 0);
}

/** What the request's edits need and the prompt no longer shows: the newest text of each file. */
function forgotten(world: World, recorded: RecordedRequest): readonly RecordedCall[] {
  const edited = recorded.calls.flatMap((call) => (call.kind === 'edit' && call.file !== undefined ? [call.file] : []));
  return [...new Set(edited)].flatMap((file) => {
    const shown = world.calls.findLast((call) => call.file === file && bringsText(call));
    if (shown === undefined || !isHidden(world, shown)) return [];
    const result = shown.kind === 'write' ? shown.input : shown.result;
    return [{ kind: 'read', file, input: rereadInput, result, failed: false, key: `re-read ${file}` }];
  });
}

function bringsText(call: PlayedCall): boolean {
  return (call.kind === 'read' || call.kind === 'write') && !call.failed;
}

function isHidden(world: World, call: PlayedCall): boolean {
  return isGone(world, call) || (call.kind === 'write' ? call.inputCut : call.cut);
}

function wasCleared(world: World, call: RecordedCall): boolean {
  const like = world.calls.findLast((other) => other.key === call.key);
  return like !== undefined && (like.cut || isGone(world, like));
}

function isGone(world: World, call: PlayedCall): boolean {
  return world.requests[call.request]?.gone ?? false;
}
