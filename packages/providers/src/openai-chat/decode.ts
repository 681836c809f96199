/**
 * Reads a Chat Completions stream. Invariants: an answer is whole only when its finish_reason came (F-04); an error chunk
 * ends it at once (F-05, F-06); blocks come out as reasoning, text, calls, the order in which the wire holds them.
 */
import type { Answer, ModelEvent, ProviderFailure } from '@zerd/core/model/answer';
import type { AssistantBlock, StopReason } from '@zerd/protocol/common/event';
import type { JsonObject, JsonValue } from '@zerd/protocol/common/json';
import type { Usage } from '@zerd/protocol/common/usage';
import type { Decoder } from '../decoder.ts';
import { classify } from '../failure/classify.ts';
import { truncated } from '../failure/thrown.ts';
import { countOf, isObject, listOf, objectOf, textOf } from '../json/fields.ts';
import { toolCallBlock } from '../tool-call.ts';
import { addCallPiece, type CallParts } from './call-parts.ts';
import { addReasoning, callExtra, noReasoning, type Reasoning, reasoningBlocks } from './reasoning.ts';
import { billedPicoOf, usageOf } from './usage.ts';

export interface State {
  readonly begun: boolean;
  readonly text: string;
  readonly refused: boolean;
  readonly reasoning: Reasoning;
  readonly calls: readonly CallParts[];
  readonly usage: JsonObject | undefined;
  /** llama.cpp's own account. */
  readonly timings: JsonObject | undefined;
  readonly finish: string | undefined;
  /** How it was served. */
  readonly tier: string | undefined;
}

type Step = readonly [State, readonly ModelEvent[]];

const initialState: State = {
  begun: false,
  text: '',
  refused: false,
  reasoning: noReasoning,
  calls: [],
  usage: undefined,
  timings: undefined,
  finish: undefined,
  tier: undefined,
};

export const chatDecoder: Decoder<State> = { initialState, decode, atEnd, spent };

/** Some endpoints count in every chunk, and what had no room to answer is charged too. */
function spent({ usage, timings, tier }: State): Usage | undefined {
  const reported = usageOf(usage, timings, tier);
  return reported.reported ? reported : undefined;
}

function decode(state: State, chunk: JsonValue): Step {
  const choice = listOf(chunk, 'choices').find((one) => (countOf(one, 'index') ?? 0) === 0);
  if (isObject(chunk) && chunk.error) return fail(state, classify({ body: chunk }));
  if (isObject(choice) && choice.error) return fail(state, classify({ body: choice }));
  const usage = objectOf(chunk, 'usage') ?? objectOf(choice, 'usage') ?? state.usage;
  const timings = objectOf(chunk, 'timings') ?? state.timings;
  const finish = textOf(choice, 'finish_reason') || state.finish;
  const tier = textOf(chunk, 'service_tier') ?? state.tier;
  const before: State = { ...state, begun: true, usage, timings, finish, tier };
  const [after, events] = addDelta(before, objectOf(choice, 'delta'));
  // With the usage behind the finish everything is there: the end of the stream need not be waited for.
  if (choice === undefined && after.finish !== undefined && usage !== state.usage) return [after, ended(after)];
  const news = events.length > 0 || !state.begun || after.finish !== state.finish || usage !== state.usage;
  return [after, news ? events : [{ kind: 'alive' }]];
}

function atEnd(state: State): readonly ModelEvent[] {
  if (state.finish !== undefined) return ended(state);
  const where = state.begun ? 'in the middle' : 'before it began';
  return [{ kind: 'failed', failure: truncated(`The answer ended ${where}: no finish_reason came.`) }];
}

function fail(state: State, failure: ProviderFailure): Step {
  return [state, [{ kind: 'failed', failure }]];
}

function addDelta(state: State, delta: JsonObject | undefined): Step {
  const text = contentOf(delta);
  const refusal = textOf(delta, 'refusal') ?? '';
  const [reasoning, thought] = addReasoning(state.reasoning, delta);
  const [calls, input] = addCalls(state.calls, listOf(delta, 'tool_calls'));
  const shown: readonly ModelEvent[] = [
    { kind: 'delta', channel: 'reasoning', text: thought },
    { kind: 'delta', channel: 'text', text: text + refusal },
    { kind: 'delta', channel: 'toolInput', text: input },
  ];
  const refused = state.refused || refusal !== '';
  const next = { ...state, text: state.text + text + refusal, refused, reasoning, calls };
  return [next, shown.filter((event) => event.kind === 'delta' && event.text !== '')];
}

function addCalls(known: readonly CallParts[], pieces: readonly JsonValue[]): readonly [readonly CallParts[], string] {
  let calls = known;
  let shown = '';
  for (const piece of pieces) {
    const [more, json] = addCallPiece(calls, piece);
    calls = more;
    shown += json;
  }
  return [calls, shown];
}

/** Mistral sends a list of parts where others send a text. */
function contentOf(delta: JsonObject | undefined): string {
  const parts = listOf(delta, 'content').map((part) =>
    textOf(part, 'type') === 'text' ? (textOf(part, 'text') ?? '') : '',
  );
  return textOf(delta, 'content') ?? parts.join('');
}

function ended(state: State): readonly ModelEvent[] {
  const answer = answerOf(state);
  if (state.finish === 'error')
    return [{ kind: 'failed', failure: classify({ body: 'The provider ended the answer with an error.' }) }];
  // Ollama and MiMo drop what does not fit and then have no room to answer: F-12 begins here.
  if (answer.stopReason === 'maxTokens' && answer.content.length === 0) return [{ kind: 'failed', failure: noRoom }];
  return [{ kind: 'finished', answer }];
}

const noRoom: ProviderFailure = {
  code: 'context_overflow',
  message: 'The endpoint stopped for length without a word: the conversation fills its window.',
  retryable: false,
};

function answerOf(state: State): Answer {
  const billedPico = billedPicoOf(state.usage);
  return {
    content: contentBlocks(state),
    stopReason: stopReasonOf(state),
    usage: usageOf(state.usage, state.timings, state.tier),
    ...(billedPico === undefined ? {} : { billedPico }),
  };
}

function contentBlocks({ text, reasoning, calls, finish }: State): readonly AssistantBlock[] {
  const texts: readonly AssistantBlock[] = text === '' ? [] : [{ kind: 'text', text }];
  const cut = (i: number) => finish === 'length' && i === calls.length - 1;
  return [
    ...reasoningBlocks(reasoning),
    ...texts,
    ...calls.map((call, i) => toolCallBlock({ ...call, cut: cut(i) }, i)),
    ...calls.flatMap((call, i) => (call.extra === undefined ? [] : [callExtra(i, call.extra)])),
  ];
}

const reasons: Readonly<Record<string, StopReason>> = {
  stop: 'end',
  length: 'maxTokens',
  tool_calls: 'toolUse',
  function_call: 'toolUse',
  content_filter: 'refusal',
};

/** Several endpoints say 'stop' after calls. */
function stopReasonOf({ finish, refused, calls }: State): StopReason {
  if (refused) return 'refusal';
  const reason = (finish === undefined ? undefined : reasons[finish]) ?? 'other';
  return reason === 'end' && calls.length > 0 ? 'toolUse' : reason;
}
