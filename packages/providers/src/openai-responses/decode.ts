/**
 * Reads a Responses stream. Invariants: `response.completed` or `response.incomplete` alone ends an answer well (F-04);
 * an error event ends it at once with the provider's words, whether or not the socket closes (F-05, F-06); items keep
 * their order, and each is taken from its `output_item.done`, as the one announced may be incomplete.
 */
import type { Answer, ModelEvent, ProviderFailure } from '@zerd/core/model/answer';
import type { AssistantBlock, StopReason } from '@zerd/protocol/common/event';
import type { JsonObject, JsonValue } from '@zerd/protocol/common/json';
import type { Usage } from '@zerd/protocol/common/usage';
import type { Decoder } from '../decoder.ts';
import { classify } from '../failure/classify.ts';
import { truncated } from '../failure/thrown.ts';
import { countOf, isObject, listOf, objectOf, textOf } from '../json/fields.ts';
import { blocksOf, type CollectedItem } from './answer-items.ts';
import { readDiagnosis } from './diagnosis.ts';
import { usageOf } from './usage.ts';

export interface State {
  readonly begun: boolean;
  /** By output index. */
  readonly items: ReadonlyMap<number, CollectedItem>;
  readonly refused: boolean;
  /** The closing event: a failed answer is charged by what it reports too. */
  readonly closing: JsonObject | undefined;
}

type Step = readonly [State, readonly ModelEvent[]];

const initialState: State = { begun: false, items: new Map(), refused: false, closing: undefined };

export const responsesDecoder: Decoder<State> = { initialState, decode, atEnd, spent };

/** The answer's own name is kept, as the next request compares with it. */
export const namingDecoder: Decoder<State> = { ...responsesDecoder, decode: decodeNamed };

function spent({ closing }: State): Usage | undefined {
  const reported = usageIn(closing);
  return reported.reported ? reported : undefined;
}

function decodeNamed(state: State, chunk: JsonValue): Step {
  const [next, events] = decode(state, chunk);
  const id = textOf(objectOf(chunk, 'response'), 'id');
  if (id === undefined) return [next, events];
  return [next, events.map((event) => named(event, id))];
}

function named(event: ModelEvent, responseId: string): ModelEvent {
  return event.kind === 'finished' ? { ...event, answer: { ...event.answer, responseId } } : event;
}

function decode(state: State, chunk: JsonValue): Step {
  const type = textOf(chunk, 'type');
  switch (type) {
    case 'response.created':
      return [{ ...state, begun: true }, []];
    case 'response.output_item.added':
      return announce(state, chunk);
    case 'response.output_item.done':
      return complete(state, chunk);
    case 'response.output_text.delta':
      return grow(state, chunk, 'text', 'text');
    case 'response.refusal.delta':
      return grow({ ...state, refused: true }, chunk, 'text', 'text');
    case 'response.function_call_arguments.delta':
      return grow(state, chunk, 'json', 'toolInput');
    case 'response.reasoning_summary_text.delta':
    case 'response.reasoning_text.delta':
      return [{ ...state, begun: true }, [delta('reasoning', textOf(chunk, 'delta') ?? '')]];
    case 'response.reasoning_summary_part.added':
      return [state, (countOf(chunk, 'summary_index') ?? 0) === 0 ? [] : [delta('reasoning', '\n\n')]];
    // The last one is how ChatGPT's backend says it.
    case 'response.completed':
    case 'response.incomplete':
    case 'response.done':
      return [closed(state, chunk), ended(state, objectOf(chunk, 'response') ?? {})];
    case 'response.failed':
      return fail(
        closed(state, chunk),
        classify({ body: { error: objectOf(objectOf(chunk, 'response'), 'error') ?? unexplained } }),
      );
    case 'error':
      return fail(state, classify({ body: chunk }));
    default:
      return [state, [{ kind: 'alive' }]];
  }
}

function closed(state: State, chunk: JsonValue): State {
  return { ...state, closing: objectOf(chunk, 'response') };
}

function usageIn(response: JsonObject | undefined): Usage {
  return usageOf(objectOf(response, 'usage'), textOf(response, 'service_tier'));
}

const unexplained = { message: 'The provider ended the answer as failed and said nothing more.' };

function atEnd(state: State): readonly ModelEvent[] {
  const where = state.begun ? 'in the middle' : 'before it began';
  return [{ kind: 'failed', failure: truncated(`The answer ended ${where}: no response.completed came.`) }];
}

function fail(state: State, failure: ProviderFailure): Step {
  return [state, [{ kind: 'failed', failure }]];
}

function announce(state: State, chunk: JsonValue): Step {
  const item = objectOf(chunk, 'item') ?? {};
  const at = countOf(chunk, 'output_index') ?? state.items.size;
  return [withItem(state, at, { item, done: false, text: '', json: '' }), []];
}

function complete(state: State, chunk: JsonValue): Step {
  const item = objectOf(chunk, 'item') ?? {};
  const at = countOf(chunk, 'output_index') ?? placeOf(state, textOf(item, 'id')) ?? state.items.size;
  const known = state.items.get(at);
  return [withItem(state, at, { item, done: true, text: known?.text ?? '', json: known?.json ?? '' }), []];
}

function grow(state: State, chunk: JsonValue, field: 'text' | 'json', channel: 'text' | 'toolInput'): Step {
  const more = textOf(chunk, 'delta') ?? '';
  const at = countOf(chunk, 'output_index') ?? placeOf(state, textOf(chunk, 'item_id'));
  const known = at === undefined ? undefined : state.items.get(at);
  // Pieces of an item that was never announced are shown; the item itself comes whole when it is done.
  if (at === undefined || known === undefined) return [state, [delta(channel, more)]];
  return [withItem(state, at, { ...known, [field]: known[field] + more }), [delta(channel, more)]];
}

/** Some servers number nothing: their items are known by id, and what has none belongs to the newest that is not done. */
function placeOf(state: State, id: string | undefined): number | undefined {
  const items = [...state.items];
  const named = items.find(([, { item }]) => id !== undefined && textOf(item, 'id') === id);
  return (named ?? items.findLast(([, { done }]) => !done))?.[0];
}

function withItem(state: State, at: number, item: CollectedItem): State {
  return { ...state, begun: true, items: new Map(state.items).set(at, item) };
}

function delta(channel: 'text' | 'reasoning' | 'toolInput', text: string): ModelEvent {
  return text === '' ? { kind: 'alive' } : { kind: 'delta', channel, text };
}

function ended(state: State, response: JsonObject): readonly ModelEvent[] {
  const answer = answerOf(state, response);
  const { stopReason, content, usage } = answer;
  // As on the chat wire: what does not fit was dropped, and no room is left to answer (F-12).
  const noRoom = stopReason === 'maxTokens' && content.length === 0 && usage.output === 0;
  return noRoom ? [{ kind: 'failed', failure: windowFull }] : [{ kind: 'finished', answer }];
}

const windowFull: ProviderFailure = {
  code: 'context_overflow',
  message: 'The endpoint stopped for length without a word: the conversation fills its window.',
  retryable: false,
};

function answerOf(state: State, response: JsonObject): Answer {
  const reason = textOf(objectOf(response, 'incomplete_details'), 'reason');
  const items = finalItems(state.items, listOf(response, 'output'));
  const content = blocksOf(items, reason === 'max_output_tokens');
  const refused = state.refused || items.some(({ item }) => isRefusal(item));
  const removed = removedReasoning(response);
  const diagnosis = readDiagnosis(response);
  return {
    content,
    stopReason: stopReasonOf(reason, refused, content),
    usage: usageIn(response),
    ...(removed > 0 ? { removedReasoning: removed } : {}),
    ...(diagnosis === undefined ? {} : { diagnosis }),
  };
}

/** In order. What never was done, or came without its encrypted part, is taken from the closing event where that has it. */
function finalItems(items: ReadonlyMap<number, CollectedItem>, output: readonly JsonValue[]): readonly CollectedItem[] {
  const places = new Set([...items.keys(), ...(items.size === 0 ? output.keys() : [])]);
  return [...places]
    .sort((a, b) => a - b)
    .flatMap((at): readonly CollectedItem[] => {
      const known = items.get(at);
      const closing = output[at];
      if (!isObject(closing) || (known !== undefined && closing.type !== known.item.type)) return known ? [known] : [];
      const whole = known?.done === true && (closing.type !== 'reasoning' || Boolean(known.item.encrypted_content));
      return [whole ? known : { text: '', json: '', ...known, item: closing, done: true }];
    });
}

function isRefusal(item: JsonObject): boolean {
  return listOf(item, 'content').some((part) => textOf(part, 'type') === 'refusal');
}

/** Reasoning that the API withheld from the model; older models use only the present turn's and say so each time. */
function removedReasoning(response: JsonObject): number {
  return listOf(response, 'input_transformations').filter(
    (one) =>
      textOf(one, 'type') === 'reasoning' &&
      textOf(one, 'action') === 'removed' &&
      textOf(one, 'reason') !== 'turn_boundary',
  ).length;
}

const incomplete: Readonly<Record<string, StopReason>> = { max_output_tokens: 'maxTokens', content_filter: 'refusal' };

function stopReasonOf(reason: string | undefined, refused: boolean, content: readonly AssistantBlock[]): StopReason {
  if (refused) return 'refusal';
  if (reason !== undefined) return incomplete[reason] ?? 'other';
  return content.some((block) => block.kind === 'toolCall') ? 'toolUse' : 'end';
}
