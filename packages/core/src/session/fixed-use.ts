/**
 * Keeps how a session's models were sent what every prompt begins with, system text and tools: when last, and by which
 * request its tokens are known best. Part of the fold, so that nobody reads a whole log for it.
 */
import type { Segment } from '@zerd/protocol/common/event';
import type { Usage } from '@zerd/protocol/common/usage';
import { promptOf } from '../context/relieve/prompt-tokens.ts';

export interface FixedUse {
  /** When it was last sent in a request that was answered; undefined: none was. Milliseconds of the epoch. */
  readonly usedAt: number | undefined;
  /** Of the reported request that held least besides: its share of the bytes, and the tokens of the prompt. 0: none was. */
  readonly share: number;
  readonly prompt: number;
}

/** By provider/model. Prompts of their own, which begin as no other, do not count. */
export type FixedUses = ReadonlyMap<string, FixedUse>;

export const noFixedUse: FixedUses = new Map();

export interface EndedRequest {
  readonly model: string;
  readonly startedAt: number;
  readonly fixedShare: number;
  readonly answered: boolean;
  readonly usage: Usage | undefined;
}

export function useFixed(uses: FixedUses, ended: EndedRequest): FixedUses {
  const { model, startedAt, fixedShare, answered, usage } = ended;
  const before = uses.get(model) ?? { usedAt: undefined, share: 0, prompt: 0 };
  const purer = usage?.reported === true && fixedShare > before.share;
  if (!answered && !purer) return uses;
  const { share, prompt } = purer ? { share: fixedShare, prompt: promptOf(usage) } : before;
  return new Map(uses).set(model, { usedAt: answered ? startedAt : before.usedAt, share, prompt });
}

export function isFixed({ name }: Segment): boolean {
  return name === 'tools' || name === 'system';
}

/** Of the bytes of a request. */
export function fixedShare(segments: readonly Segment[]): number {
  let [fixed, all] = [0, 0];
  for (const segment of segments) {
    all += segment.bytes;
    if (isFixed(segment)) fixed += segment.bytes;
  }
  return all === 0 ? 0 : fixed / all;
}
