/** What the lines around a conversation want to know of its model. Pure. */
import type { ResultOf } from '@zerd/protocol/common/methods';

export interface ModelFacts {
  /** Tokens of its window; absent: not known. */
  readonly window?: number;
  /** How long its provider keeps a prompt, milliseconds; absent: not known. */
  readonly cacheTtlMs?: number;
}

export function modelFacts({ models }: ResultOf<'model/list'>, id: string): ModelFacts {
  const { contextWindow, cacheMs } = models.find((model) => model.id === id) ?? {};
  return {
    ...(typeof contextWindow === 'number' ? { window: contextWindow } : {}),
    ...(cacheMs === undefined ? {} : { cacheTtlMs: cacheMs }),
  };
}
