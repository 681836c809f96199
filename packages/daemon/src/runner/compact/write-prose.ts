/**
 * Does: gets the model's own words about a session. Where the provider holds the prompt, the same model is asked behind
 * it; where that fails, or it is cold, a trimmed copy is summed up in a prompt of its own, in parts where one prompt is
 * too small. Invariant: after two attempts in a row that got nowhere it stops; finished parts are in the log and kept.
 */

import { recordBytes } from '@zerd/core/context/compact/budget';
import { type FinishedPart, finishedPart } from '@zerd/core/context/compact/finished-part';
import { freshPrompt, freshSettings, warmPrompt } from '@zerd/core/context/compact/instruction';
import { nextRecord } from '@zerd/core/context/compact/record';
import { renderPrompt } from '@zerd/core/context/render';
import { addUsage, noUsage } from '@zerd/protocol/common/add-usage';
import type { Failure } from '@zerd/protocol/common/event';
import type { RequestId } from '@zerd/protocol/common/ids';
import type { Usage } from '@zerd/protocol/common/usage';
import { createProvider } from '@zerd/providers/create-provider';
import { settingsOf } from '../../config/models.ts';
import { cacheKeyOf } from '../cache-key.ts';
import type { TurnContext } from '../turn-context.ts';
import { type Asked, askForProse, type Summarizer } from './ask-for-prose.ts';

export type Written =
  | { readonly kind: 'written'; readonly prose: string; readonly requestId: RequestId; readonly usage: Usage }
  | {
      readonly kind: 'failed';
      readonly failure: Failure;
      /** The model answered, but with no summary. */
      readonly wordless?: Wordless;
    };

export interface Wordless {
  /** Words of an earlier summary, or of a part that was finished. */
  readonly before: string | undefined;
  readonly requestId: RequestId;
  readonly usage: Usage;
}

export interface ProseWish {
  /** The last event that the summary stands for. */
  readonly through: number;
  readonly warm: boolean;
}

/** Attempts in a row without progress. */
const mostFailures = 2;
/** A part below this is not worth a request. */
const leastBytes = 8_000;

export async function writeProse(turn: TurnContext, { through, warm }: ProseWish): Promise<Written> {
  let usage = noUsage;
  let failures = 0;
  if (warm && turn.summarizer === undefined) {
    const asked = await askForProse(turn, turn, warmPrompt(renderPrompt(turn.state(), cacheKey(turn))));
    usage = addUsage(usage, asked.usage ?? noUsage);
    if (asked.kind === 'prose') return { kind: 'written', prose: asked.text, requestId: asked.requestId, usage };
    if (turn.signal.aborted) return asked;
    failures = 1;
  }
  return writeFresh(turn, through, { usage, failures });
}

interface SoFar {
  readonly usage: Usage;
  readonly failures: number;
}

async function writeFresh(turn: TurnContext, through: number, soFar: SoFar): Promise<Written> {
  const summarizer = freshSummarizer(turn);
  const events = turn.events();
  let { usage, failures } = soFar;
  let bytes = recordBytes(summarizer.model.contextWindow, summarizer.settings.maxOutput);
  let done: FinishedPart = finishedPart(events, through);
  for (;;) {
    const part = nextRecord(events, { after: done.after, through, bytes });
    if (part === undefined) break;
    const asked: Asked = await askForProse(turn, summarizer, freshPrompt(part.text, done.text, cacheKey(turn)), {
      after: done.after,
      through: part.through,
    });
    usage = addUsage(usage, asked.usage ?? noUsage);
    if (asked.kind === 'prose') {
      done = { after: part.through, text: asked.text, requestId: asked.requestId };
      failures = 0;
      continue;
    }
    failures += 1;
    if (turn.signal.aborted || failures >= mostFailures) return inVain(asked, done, usage);
    if (asked.failure.code === 'context_overflow') bytes = Math.max(leastBytes, Math.floor(bytes / 4));
  }
  const { text, requestId } = done;
  if (text === undefined || requestId === undefined) return { kind: 'failed', failure: nothingToTell };
  return { kind: 'written', prose: text, requestId, usage };
}

function inVain({ failure, answeredBy }: FailedAsk, { text: before }: FinishedPart, usage: Usage): Written {
  if (answeredBy === undefined) return { kind: 'failed', failure };
  return { kind: 'failed', failure, wordless: { before, requestId: answeredBy, usage } };
}

type FailedAsk = Extract<Asked, { kind: 'failed' }>;

const nothingToTell: Failure = { code: 'internal_error', message: 'There was nothing to sum up.' };

function freshSummarizer({ summarizer, model, settings, provider }: TurnContext): Summarizer {
  if (summarizer === undefined) return { model, provider, settings: freshSettings(settings) };
  const fresh = freshSettings(settingsOf(summarizer));
  return { model: summarizer, provider: createProvider(summarizer.endpoint), settings: fresh };
}

function cacheKey(turn: TurnContext): string {
  return cacheKeyOf(turn.state(), turn.sessionId, turn.model.endpoint);
}
