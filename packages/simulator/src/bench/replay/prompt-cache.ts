/** A provider's cache for one growing conversation: what of a prompt it reads, given what it was sent before. */
import { lifetime, prefixStep, type ReplayPrice } from './prices.ts';

export interface Block {
  /** Equal contents have equal ids. */
  readonly id: number;
  readonly tokens: number;
}

export interface PromptCache {
  /** `marks`: how many blocks lie in front of each mark. Gives the tokens that were read. */
  charge(blocks: readonly Block[], marks: readonly number[], now: number): number;
  /** Whether an entry ends behind that many blocks of the last prompt and still lives. */
  holds(blocks: number, now: number): boolean;
}

export function createPromptCache(kind: ReplayPrice['cache']): PromptCache {
  let last: readonly Block[] = [];
  let lastAt = Number.NEGATIVE_INFINITY;
  const usedAt = new Map<number, number>();
  const lives = (used: number | undefined, now: number) => used !== undefined && now - used <= lifetime;

  function readMarked(equal: number, marks: readonly number[], now: number): number {
    for (const [end, used] of usedAt) if (end > equal || !lives(used, now)) usedAt.delete(end);
    const hit = Math.max(0, ...marks.filter((end) => usedAt.has(end)));
    for (const end of marks) usedAt.set(end, now);
    return hit;
  }

  return {
    charge(blocks, marks, now) {
      const equal = equalBlocks(last, blocks);
      const covered = kind === 'marks' ? readMarked(equal, marks, now) : lives(lastAt, now) ? equal : 0;
      [last, lastAt] = [blocks, now];
      const tokens = blocks.slice(0, covered).reduce((sum, block) => sum + block.tokens, 0);
      if (kind === 'none') return 0;
      return kind === 'prefix' ? tokens - (tokens % prefixStep) : tokens;
    },
    holds: (blocks, now) => (kind === 'marks' ? lives(usedAt.get(blocks), now) : false),
  };
}

function equalBlocks(a: readonly Block[], b: readonly Block[]): number {
  const end = Math.min(a.length, b.length);
  for (let i = 0; i < end; i++) if (a[i]?.id !== b[i]?.id) return i;
  return end;
}
