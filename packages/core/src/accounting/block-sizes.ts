/**
 * Guesses the tokens of a prompt's blocks, and learns from what prompts were reported to grow by how far guesses are off
 * in this session and for this model: for text, for what frames a block and for what only the provider can read. A ridge
 * regression: few reports leave the usual, many decide. Pure.
 */
import type { AssistantBlock } from '@zerd/protocol/common/event';
import type { Image } from '@zerd/protocol/common/image';
import type { UserBlock } from '../model/prompt.ts';
import { estimateTokens } from '../text/estimate-tokens.ts';

/** As it is sent. */
export interface PlainBlock {
  /** The same in every rendering: a trim changes a text, not whose it is. */
  readonly key: string;
  readonly text: string;
  readonly kind: (AssistantBlock | UserBlock)['kind'];
  /** Of images that it is or holds, by their model's rule; absent: 0. */
  readonly imageTokens?: number;
}

export interface Block extends PlainBlock {
  readonly traits: Traits;
}

/** What a block's tokens are a sum of, each with a weight: its text, its frame, what is opaque, and zerd's own words. */
export type Traits = readonly [text: number, frame: number, opaque: number, own: number];
export type Weights = Traits;

export interface Growth {
  readonly traits: Traits;
  readonly tokens: number;
}

/** Tokens of what frames a block on the wire: braces, kinds, ids. */
const frames = { text: 13, toolCall: 20, toolResult: 16 } as const;

/** Whoever asks about the same block again, in another prompt, pays for its text once. */
const plains = new WeakMap<AssistantBlock | UserBlock, PlainBlock>();
const guessed = new WeakMap<PlainBlock, Block>();

export function plainBlock(block: AssistantBlock | UserBlock): PlainBlock {
  const plain = plains.get(block) ?? plainOf(block);
  plains.set(block, plain);
  return plain;
}

export function guessBlock(plain: PlainBlock): Block {
  const block = guessed.get(plain) ?? guessOne(plain);
  guessed.set(plain, block);
  return block;
}

function plainOf(block: AssistantBlock | UserBlock): PlainBlock {
  const { kind } = block;
  switch (kind) {
    case 'toolCall':
      return { key: `call ${block.callId}`, text: block.name + block.inputJson, kind };
    case 'toolResult':
      return { key: `result ${block.callId}`, text: block.text, kind, ...counted(block.images) };
    case 'image':
      return { key: `image ${block.image.archiveId}`, text: block.image.archiveId, kind, ...counted([block.image]) };
    case 'text':
      return { key: `text ${block.text}`, text: block.text, kind };
    case 'opaque':
      return { key: `opaque ${block.json}`, text: block.json, kind };
  }
}

function counted(images: readonly Image[] = []): Pick<PlainBlock, 'imageTokens'> {
  return images.length === 0 ? {} : { imageTokens: images.reduce((sum, { tokens }) => sum + tokens, 0) };
}

/** What a rule counts is as sure as zerd's own words. */
function guessOne(block: PlainBlock): Block {
  const { kind, text, imageTokens = 0 } = block;
  if (kind === 'image') return { ...block, traits: [0, frames.text, 0, imageTokens] };
  if (kind === 'opaque') return { ...block, traits: [0, 0, text.length / opaqueBytes, 0] };
  const own = ownWords.exec(text)?.[0] ?? '';
  const rest = own === '' ? text : text.replace(own, '');
  return { ...block, traits: [estimateTokens(rest), frames[kind], 0, estimateTokens(own) + imageTokens] };
}

/** Characters a token of what only the provider can read. */
const opaqueBytes = 4;

/** A notice, or the line that stands for what a trim cleared: no text of the session, and counted as the fixed part is. */
const ownWords = /^<system-reminder>.*|\[[\d,]+ bytes cleared[^\]]*\]/s;

export function guessOf({ traits }: Pick<Block, 'traits'>, weights: Weights): number {
  return traits.reduce((sum, trait, i) => sum + trait * (weights[i] ?? 0), 0);
}

/** zerd's own words are as they are everywhere; `scale` is of what its stretch of the session brought. */
export function sizeOf(block: Pick<Block, 'traits'>, weights: Weights, scale: number): number {
  const own = ownOf(block, weights);
  return own + (guessOf(block, weights) - own) * scale;
}

export function ownOf({ traits }: Pick<Block, 'traits'>, weights: Weights): number {
  return traits[3] * weights[3];
}

export function addTraits(a: Traits, b: Traits): Traits {
  return [a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3]];
}

export const noTraits: Traits = [0, 0, 0, 0];
/** Before anything was reported, and how far from it they may well be. */
const usual: Weights = [1, 1, 0.8, 1];
const doubt: Weights = [0.3, 0.5, 0.8, 0.05];
/** How far a growth may be off its guess: by so many tokens, and by such a share. */
const [offTokens, offShare] = [12, 0.15];

/** `own`: a token of the fixed part for each that is guessed. */
export function learnWeights(growths: readonly Growth[], own = 1): Weights {
  const begin = usual.map((weight) => weight * own);
  const matrix = begin.map((_, i) => begin.map((__, j) => (i === j ? 1 / (doubt[i] ?? 1) ** 2 : 0)));
  const right = begin.map((weight, i) => weight / (doubt[i] ?? 1) ** 2);
  for (const { traits, tokens } of growths) {
    const trust = 1 / (offTokens + offShare * tokens) ** 2;
    traits.forEach((trait, i) => {
      right[i] = (right[i] ?? 0) + trust * trait * tokens;
      traits.forEach((other, j) => {
        const row = matrix[i];
        if (row !== undefined) row[j] = (row[j] ?? 0) + trust * trait * other;
      });
    });
  }
  const [text = 1, frame = 1, opaque = 1, words = 1] = solve(matrix, right);
  return [Math.max(0.3, text), Math.max(0, frame), Math.max(0, opaque), Math.max(0.3, words)];
}

/** Of a symmetric, positive matrix. */
function solve(matrix: readonly (readonly number[])[], right: readonly number[]): readonly number[] {
  const [first, ...others] = matrix.map((row, i) => [...row, right[i] ?? 0]);
  if (first === undefined) return [];
  const pivot = first[0] ?? 1;
  const rest = others.map((row) => row.map((value, i) => value - ((row[0] ?? 0) / pivot) * (first[i] ?? 0)));
  const solved = solve(
    rest.map((row) => row.slice(1, -1)),
    rest.map((row) => row.at(-1) ?? 0),
  );
  const known = solved.reduce((sum, value, i) => sum + value * (first[i + 1] ?? 0), 0);
  return [((first.at(-1) ?? 0) - known) / pivot, ...solved];
}
