/** Each wire as a row: where it is spoken, how it is read, judged and answered. A new wire is a new row. */
import { judgeAnthropic } from '../judge/judge-anthropic.ts';
import { judgeChat } from '../judge/judge-chat.ts';
import { judgeCodex } from '../judge/judge-codex.ts';
import { judgeResponses } from '../judge/judge-responses.ts';
import type { Judge } from '../judge/verdict.ts';
import type { Answer, Frame } from '../speak/answer.ts';
import { streamAnthropic, wholeAnthropic } from '../speak/speak-anthropic.ts';
import { streamChat, wholeChat } from '../speak/speak-chat.ts';
import { outputItems, streamResponses, wholeResponses } from '../speak/speak-responses.ts';
import type { RequestView } from '../view/request-view.ts';
import { viewAnthropic } from '../view/view-anthropic.ts';
import { viewChat } from '../view/view-chat.ts';
import { viewResponses } from '../view/view-responses.ts';
import { type Dialect, isObject, type Json, type Wire } from '../wire.ts';

export interface WireRow {
  readonly wire: Wire;
  readonly dialect: Dialect;
  readonly path: string;
  /** What of the path an SDK adds to its base URL's origin. */
  readonly basePath: string;
  readonly idPrefix: string;
  readonly view: (body: Json) => RequestView;
  readonly judge: Judge;
  readonly stream: (answer: Answer) => readonly Frame[];
  readonly whole: (answer: Answer) => Json;
  readonly wantsUsage: (body: Json) => boolean;
  /** The output items of an answer that must come back as they were. */
  readonly items: (answer: Answer) => readonly Json[];
  /** Requests of different partitions share no cache. */
  readonly partition: (headers: Readonly<Record<string, string>>) => string;
}

const plain = { items: () => [], partition: () => '' };

const responses: WireRow = {
  wire: 'responses',
  dialect: 'responses',
  path: '/v1/responses',
  basePath: '/v1',
  idPrefix: 'call_sim',
  view: viewResponses,
  judge: judgeResponses,
  stream: streamResponses,
  whole: wholeResponses,
  wantsUsage: () => true,
  items: outputItems,
  partition: () => '',
};

/** ChatGPT's backend keeps a cache for each session. */
export const codexRow: WireRow = {
  ...responses,
  dialect: 'codex',
  path: '/backend-api/codex/responses',
  basePath: '/backend-api/codex',
  judge: judgeCodex,
  partition: (headers) => headers['session-id'] ?? '',
};

export const wireRows: readonly WireRow[] = [
  {
    ...plain,
    wire: 'anthropic',
    dialect: 'anthropic',
    path: '/v1/messages',
    basePath: '',
    idPrefix: 'toolu_sim',
    view: viewAnthropic,
    judge: judgeAnthropic,
    stream: streamAnthropic,
    whole: wholeAnthropic,
    wantsUsage: () => true,
  },
  responses,
  {
    ...plain,
    wire: 'chat',
    dialect: 'chat',
    path: '/v1/chat/completions',
    basePath: '/v1',
    idPrefix: 'call_sim',
    view: viewChat,
    judge: judgeChat,
    stream: streamChat,
    whole: wholeChat,
    wantsUsage: (body) => isObject(body.stream_options) && body.stream_options.include_usage === true,
  },
];

export function rowOf(url: string): WireRow | undefined {
  const path = url.split('?')[0];
  return [...wireRows, codexRow].find((row) => row.path === path);
}
