/**
 * Says how many tokens each block of the next prompt has. A guess is made of every text; between two requests that were
 * reported the true growth is known, and what they brought is scaled to it, what a trim took out in between counted in.
 * Invariant: the blocks that were sent add up to what was reported of the newest request.
 */
import { promptOf } from '../context/relieve/prompt-tokens.ts';
import type { SessionState } from '../session/state.ts';
import { estimateTokens } from '../text/estimate-tokens.ts';
import { addTraits, type Block, guessOf, learnWeights, noTraits, ownOf, sizeOf, type Weights } from './block-sizes.ts';
import { type LaidBlock, type LaidPrompt, type LaidRequest, layBlocks } from './laid-blocks.ts';

export interface MeasuredPrompt {
  readonly tokens: number;
  /** System text and tools. */
  readonly fixed: number;
  readonly blocks: readonly MeasuredBlock[];
  readonly requests: readonly LaidRequest[];
  readonly weights: Weights;
}

/** As it is sent now. */
export interface MeasuredBlock extends Block {
  readonly stretch: number;
  readonly tokens: number;
  /** Its tokens for each that is guessed. */
  readonly scale: number;
}

/** `fixed`: tokens of system text and tools. Undefined: nothing was reported that it could add up to. */
export function measurePrompt(state: SessionState, fixed: number): MeasuredPrompt | undefined {
  const laid = layBlocks(state);
  const last = laid.requests.at(-1);
  const sentSince = laid.requests.length > (state.compactions.newest?.kept ?? 0);
  if (last === undefined || !sentSince || !isReported(last, state.model)) return undefined;
  if (laid.cut.some(({ cutAt = 0 }) => cutAt > last.seq)) return undefined;
  const weights = weightsOf(laid, { state, fixed });
  const scales = scalesOf(laid, weights, { state, fixed });
  const blocks = laid.blocks.flatMap(({ left, stretch }) => {
    const scale = scales[stretch] ?? 1;
    if (left === undefined) return [];
    const { key, text, kind, traits } = left;
    return [{ key, text, kind, traits, stretch, scale, tokens: sizeOf(left, weights, scale) }];
  });
  const sent = sum(blocks.filter((block) => block.stretch < laid.requests.length).map(({ tokens }) => tokens));
  const begins = promptOf(last.usage) - sent;
  if (begins < 0) return undefined;
  return {
    tokens: begins + sum(blocks.map(({ tokens }) => tokens)),
    fixed: begins,
    blocks,
    requests: laid.requests,
    weights,
  };
}

function isReported(request: LaidRequest | undefined, model: string): request is LaidRequest {
  return request !== undefined && request.model === model && request.usage.reported && promptOf(request.usage) > 0;
}

/** Learned from what no trim and no summary disturbed. */
function weightsOf(laid: LaidPrompt, { state, fixed }: Beginning): Weights {
  const growths = laid.requests.flatMap((request, i) => {
    const before = laid.requests[i - 1];
    if (!isReported(before, state.model) || !isReported(request, state.model) || isSwitch(state, i)) return [];
    if (cutsAt(laid, i).length > 0) return [];
    const traits = inStretch(laid, i).reduce((total, block) => addTraits(total, block.traits), noTraits);
    return [{ traits, tokens: promptOf(request.usage) - promptOf(before.usage) }];
  });
  const { system, tools } = state.created;
  const own = fixed / (estimateTokens(system) + estimateTokens(tools));
  return learnWeights(
    growths.filter(({ tokens }) => tokens > 0),
    own > least && own < most ? own : 1,
  );
}

interface Beginning {
  readonly state: SessionState;
  readonly fixed: number;
}

/** For each stretch: what it was reported to bring for what is guessed of it; 1 where nothing is known. */
function scalesOf(laid: LaidPrompt, weights: Weights, { state, fixed }: Beginning): readonly number[] {
  const scales: number[] = laid.requests.map(() => 1);
  const size = (block: Block, stretch: number) => sizeOf(block, weights, scales[stretch] ?? 1);
  const first = state.compactions.newest?.kept ?? 0;
  const scale = (stretches: readonly number[], tokens: number) => {
    const blocks = stretches.flatMap((i) => inStretch(laid, i));
    const own = sum(blocks.map((block) => ownOf(block, weights)));
    const guess = sum(blocks.map((block) => guessOf(block, weights))) - own;
    const by = (tokens - own) / guess;
    if (guess > 0 && by > least && by < most) for (const i of stretches) scales[i] = by;
  };
  laid.requests.forEach((request, i) => {
    const before = laid.requests[i - 1];
    if (!isReported(request, state.model)) return;
    if (i === first) {
      const kept = laid.blocks.filter(({ stretch }) => stretch > 0 && stretch < first);
      const held = sum(kept.map((block) => sizeAt(block, request.seq, size)));
      scale(first === 0 ? [0] : [0, first], promptOf(request.usage) - fixed - held);
    } else if (isReported(before, state.model)) {
      const cut = sum(cutsAt(laid, i).map((block) => size(block, block.stretch) - sizeAt(block, request.seq, size)));
      scale([i], promptOf(request.usage) - promptOf(before.usage) + cut);
    }
  });
  return scales;
}

/** Beyond these the two are not about the same. */
const [least, most] = [0.4, 2.5];

/** As a request was sent whose answer came at `seq`. */
function sizeAt(block: LaidBlock, seq: number, size: (block: Block, stretch: number) => number): number {
  if (block.cutAt === undefined || block.cutAt > seq) return size(block, block.stretch);
  return block.left === undefined ? 0 : size(block.left, block.stretch);
}

/** What a trim cut between the two. */
function cutsAt({ cut, requests }: LaidPrompt, index: number): readonly LaidBlock[] {
  const [from, to] = [requests[index - 1]?.seq ?? 0, requests[index]?.seq ?? 0];
  return cut.filter(({ cutAt = 0, stretch }) => stretch < index && cutAt > from && cutAt < to);
}

function inStretch({ byStretch }: LaidPrompt, index: number): readonly LaidBlock[] {
  return byStretch.get(index) ?? [];
}

/** The first prompt behind a summary says nothing of what came since the one before it. */
function isSwitch({ compactions }: SessionState, index: number): boolean {
  return compactions.newest !== undefined && index === compactions.newest.kept;
}

function sum(items: readonly number[]): number {
  return items.reduce((total, item) => total + item, 0);
}
