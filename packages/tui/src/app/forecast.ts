/**
 * What the next request is expected to cost, where that is worth a word: before a message that is dear is sent, and when
 * another model is chosen. Invariant: what was written is sent one way, or comes back.
 */
import { isZerdError } from '@zerd/protocol/common/errors';
import type { SessionId } from '@zerd/protocol/common/ids';
import type { ResultOf } from '@zerd/protocol/common/methods';
import type { Feed } from '@zerd/protocol/node/follow';
import { createPicker, type Item, type Overlay } from './overlay.ts';
import { dollars, thousands } from './status-line.ts';

type Forecast = ResultOf<'cost/forecast'>;

type Asking = Pick<Feed, 'request'>;

export interface Message {
  readonly feed: Asking;
  readonly sessionId: SessionId;
  readonly text: string;
  /** Sends it as it is. */
  send(): Promise<void>;
  /** Says it in a session of its own. */
  sayAnew(): Promise<void>;
  /** It comes back. */
  takeBack(): void;
  failed(error: unknown): void;
}

/** Undefined: the message is sent as it is; else the ways to choose from. */
export async function dearChoice(message: Message): Promise<Overlay | undefined> {
  const seen = await dearForecast(message.feed, message.sessionId, message.text);
  if (seen === undefined) return undefined;
  let chosen = false;
  const pick = (way: string) => {
    chosen = true;
    go(message, way).catch((error: unknown) => {
      message.takeBack();
      message.failed(error);
    });
  };
  const closed = () => {
    if (!chosen) message.takeBack();
  };
  return { ...createPicker({ title: dearTitle(seen), items: () => dearWays(seen), pick }), closed };
}

async function go({ feed, sessionId, text, send, sayAnew }: Message, way: string): Promise<void> {
  if (way === 'new') return sayAnew();
  if (way !== 'compact') return send();
  await feed.request('session/compact', { sessionId });
  await feed.request('turn/queue', { sessionId, text });
}

/** Undefined: it costs no more than somebody wants to pay unasked, or nobody can say. */
async function dearForecast(feed: Asking, sessionId: SessionId, text: string): Promise<Forecast | undefined> {
  try {
    const seen = await feed.request('cost/forecast', { sessionId, text });
    return seen.warn ? seen : undefined;
  } catch (error) {
    // A daemon of an older build foresees nothing; what else is wrong the turn itself will say.
    if (!isZerdError(error)) throw error;
    return undefined;
  }
}

function dearTitle({ rewritten, prompt, costPico, why }: Forecast): string {
  const what = rewritten > 0 ? `re-writes ${thousands(rewritten)} tokens` : `sends ${thousands(prompt)} tokens`;
  return `This message ${what}, about ${price(costPico)}${why === undefined ? '' : ` (${why})`}`;
}

const labels = { send: 'Send it', compact: 'Sum up first, then send it', new: 'Start a new session with it' } as const;

function dearWays({ ways }: Forecast): readonly Item[] {
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
