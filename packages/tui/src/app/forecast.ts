/**
 * What the next request is expected to cost, where that is worth a word: before a message that is dear is sent, and when
 * another model is chosen. Nothing is sent here.
 */
import { isZerdError } from '@zerd/protocol/common/errors';
import type { SessionId } from '@zerd/protocol/common/ids';
import type { ResultOf } from '@zerd/protocol/common/methods';
import type { Feed } from '@zerd/protocol/node/follow';
import type { Item } from './overlay.ts';
import { dollars, thousands } from './status-line.ts';

export type Forecast = ResultOf<'cost/forecast'>;

type Asking = Pick<Feed, 'request'>;

/** Undefined: it costs no more than somebody wants to pay unasked, or nobody can say. */
export async function dearForecast(feed: Asking, sessionId: SessionId, text: string): Promise<Forecast | undefined> {
  try {
    const seen = await feed.request('cost/forecast', { sessionId, text });
    return seen.warn ? seen : undefined;
  } catch (error) {
    // A daemon of an older build foresees nothing; what else is wrong the turn itself will say.
    if (!isZerdError(error)) throw error;
    return undefined;
  }
}

export function dearTitle({ rewritten, prompt, costPico, why }: Forecast): string {
  const what = rewritten > 0 ? `re-writes ${thousands(rewritten)} tokens` : `sends ${thousands(prompt)} tokens`;
  return `This message ${what}, about ${price(costPico)}${why === undefined ? '' : ` (${why})`}`;
}

const labels = { send: 'Send it', compact: 'Sum up first, then send it', new: 'Start a new session with it' } as const;

export function dearWays({ ways }: Forecast): readonly Item[] {
  return ways.map(({ kind, costPico, prompt }) => ({
    label: labels[kind],
    detail: `about ${price(costPico)}, then ${thousands(prompt)} tokens a request`,
    value: kind,
  }));
}

/** What choosing a model costs with the next request; it holds nothing of the conversation. */
export function switchText(model: string, { rewritten, costPico }: Forecast): string {
  return `${model} is sent all of the conversation: ${thousands(rewritten)} tokens anew, about ${price(costPico)}`;
}

function price(pico: number | null): string {
  return pico === null ? 'an unknown sum' : dollars(pico);
}
