/**
 * Estimates what a request came to beyond what its provider reported, by zerd's own count of what was sent and of what
 * arrived: all of it where no tokens were reported, and the answer where it broke off behind the report of its prompt.
 * Invariant (I11): it is kept beside the figures that were reported, never among them; budgets count it, so that
 * silence is no way around a limit.
 */
import type { Estimate } from '@zerd/protocol/common/cost-events';
import type { AssistantBlock } from '@zerd/protocol/common/event';
import type { JsonValue } from '@zerd/protocol/common/json';
import type { Usage } from '@zerd/protocol/common/usage';
import { promptOf } from '../context/relieve/prompt-tokens.ts';
import { estimateTokens } from '../text/estimate-tokens.ts';
import { costOf, partsAt, ratesOf, usualRates } from './cost.ts';
import type { Price } from './price.ts';

export interface Unreported {
  readonly body: JsonValue;
  /** Tokens of the images that it sends, by the rule of their model; the body names them alone. Absent: none. */
  readonly images?: number;
  /** Tokens of what arrived. */
  readonly output: number;
  /** It broke off: an output that was reported may be what there was when the answer began. */
  readonly brokenOff?: boolean;
  /** What was reported after all; undefined: nothing. */
  readonly usage: Usage | undefined;
  readonly price: Price | null;
}

/** Undefined: what it came to was reported, so nothing is to be estimated. */
export function estimateRequest({
  body,
  images = 0,
  output,
  brokenOff = false,
  usage,
  price,
}: Unreported): Estimate | undefined {
  if (usage?.reported === true && promptOf(usage) > 0)
    return (brokenOff ? estimateRest(usage, Math.ceil(output), price) : undefined) ?? estimatePrice(usage, price);
  const said = usage?.reported === true ? 0 : Math.ceil(output);
  return estimateAs(Math.ceil(tokensIn(body)) + images, said, price);
}

/** What arrived is counted at its densest: so many times a report of all of it, and no more, may that come to. */
const densest = 2.5;

/** What had arrived of an answer beyond the output that was reported, at the rates that hold behind its prompt. */
function estimateRest(usage: Usage, arrived: number, price: Price | null): Estimate | undefined {
  if (arrived <= densest * usage.output) return undefined;
  const output = arrived - usage.output;
  const rates = price === null ? null : ratesOf(usage, price);
  return { prompt: 0, output, costPico: rates === null ? null : output * rates.output };
}

/** What is served otherwise than in the usual way costs something: a budget counts the usual price. */
function estimatePrice(usage: Usage, price: Price | null): Estimate | undefined {
  const usual = price === null || ratesOf(usage, price) !== null ? null : usualRates(usage, price);
  if (usual === null) return undefined;
  const { uncached, cacheRead, cacheWrite, output } = partsAt(usage, usual);
  return { prompt: 0, output: 0, costPico: uncached + cacheRead + cacheWrite + output };
}

function estimateAs(prompt: number, output: number, price: Price | null): Estimate {
  const asReported: Usage = { uncached: prompt, cacheRead: 0, cacheWrite: 0, output, reported: true };
  return { prompt, output, costPico: price === null ? null : costOf(asReported, price) };
}

/** Of a request of which only its length and the tokens of its images are known. */
export function estimateLost(bytes: number, images: number, price: Price | null): Estimate {
  return estimateAs(Math.ceil(bytes / bytesPerToken) + images, 0, price);
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
