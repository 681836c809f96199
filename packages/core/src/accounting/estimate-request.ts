/**
 * Estimates what a request came to whose provider reported no tokens, by zerd's own count of what was sent and of what
 * arrived. Invariant (I11): it is kept beside the figures that were reported, never among them; budgets count it, so that
 * silence is no way around a limit.
 */
import type { Estimate } from '@zerd/protocol/common/cost-events';
import type { AssistantBlock } from '@zerd/protocol/common/event';
import type { JsonValue } from '@zerd/protocol/common/json';
import type { Usage } from '@zerd/protocol/common/usage';
import { promptOf } from '../context/relieve/prompt-tokens.ts';
import { estimateTokens } from '../text/estimate-tokens.ts';
import { costOf } from './cost.ts';
import type { Price } from './price.ts';

export interface Unreported {
  readonly body: JsonValue;
  /** Tokens of what arrived. */
  readonly output: number;
  /** What was reported after all; undefined: nothing. */
  readonly usage: Usage | undefined;
  readonly price: Price | null;
}

/** Undefined: the prompt was reported, so nothing is to be estimated. */
export function estimateRequest({ body, output, usage, price }: Unreported): Estimate | undefined {
  if (usage?.reported === true && promptOf(usage) > 0) return undefined;
  const said = usage?.reported === true ? 0 : Math.ceil(output);
  return estimateAs(Math.ceil(tokensIn(body)), said, price);
}

function estimateAs(prompt: number, output: number, price: Price | null): Estimate {
  const asReported: Usage = { uncached: prompt, cacheRead: 0, cacheWrite: 0, output, reported: true };
  return { prompt, output, costPico: price === null ? null : costOf(asReported, price) };
}

/** Of a request of which only its length is known. */
export function estimateLost(bytes: number, price: Price | null): Estimate {
  return estimateAs(Math.ceil(bytes / bytesPerToken), 0, price);
}

/** Of a serialised request: a usual value, which a test holds to 0.8 to 1.4 times what the simulator counts. */
const bytesPerToken = 4;

export function answerTokens(content: readonly AssistantBlock[]): number {
  return content.reduce((sum, block) => {
    if (block.kind === 'toolCall') return sum + estimateTokens(block.name) + estimateTokens(block.inputJson);
    return sum + estimateTokens(block.kind === 'text' ? block.text : block.json);
  }, 0);
}

/** What frames a member: quotes, colon, comma. */
const frame = 2;

/** Of every text in it, names included. */
function tokensIn(value: JsonValue): number {
  if (typeof value === 'string') return estimateTokens(value);
  if (typeof value !== 'object' || value === null) return 1;
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + tokensIn(item), 0);
  return Object.entries(value).reduce((sum, [name, item]) => sum + estimateTokens(name) + frame + tokensIn(item), 0);
}
