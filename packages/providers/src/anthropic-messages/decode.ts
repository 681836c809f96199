/**
 * Reads a Messages stream. Invariants: blocks keep their order and, but for text and tool calls, their exact JSON;
 * `message_stop` alone ends an answer well, and an error event ends it at once (F-04 to F-06).
 */
import type { Answer, ModelEvent, ProviderFailure } from '@zerd/core/model/answer';
import type { Diagnosis } from '@zerd/protocol/common/cost-events';
import type { AssistantBlock } from '@zerd/protocol/common/event';
import type { JsonObject, JsonValue } from '@zerd/protocol/common/json';
import type { Usage } from '@zerd/protocol/common/usage';
import type { Decoder } from '../decoder.ts';
import { classify } from '../failure/classify.ts';
import { malformed, truncated } from '../failure/thrown.ts';
import { countOf, isObject, listOf, objectOf, parseJson, textOf } from '../json/fields.ts';
import { toolCallBlock } from '../tool-call.ts';
import { readDiagnosis } from './diagnosis.ts';
import { stopReasonOf } from './stop-reason.ts';
import { noCounts, readCounts, type UsageCounts, usageOf } from './usage.ts';

interface OpenBlock {
  /** The block as it began, its own text fields continued by what the deltas brought. */
  readonly block: JsonObject;
  /** Tool arguments so far. */
  readonly json: string;
}

export interface State {
  readonly begun: boolean;
  readonly blocks: ReadonlyMap<number, OpenBlock>;
  readonly counts: UsageCounts;
  readonly stopReason: string | undefined;
  readonly responseId: string | undefined;
  readonly diagnosis: Diagnosis | undefined;
  /** Blocks of earlier reasoning that the API left out. */
  readonly dropped: number;
}

type Step = readonly [State, readonly ModelEvent[]];

const initialState: State = {
  begun: false,
  blocks: new Map(),
  counts: noCounts,
  stopReason: undefined,
  responseId: undefined,
  diagnosis: undefined,
  dropped: 0,
};

export const anthropicDecoder: Decoder<State> = { initialState, decode, atEnd, spent };

/** Of a request that asks for a diagnosis: the answer's own name is kept, as the next request compares with it. */
export function diagnosingDecoder(body: JsonObject): Decoder<State> {
  const compares = textOf(objectOf(body, 'diagnostics'), 'previous_message_id') !== undefined;
  return {
    ...anthropicDecoder,
    decode(state, chunk) {
      const [next, events] = decode(state, chunk);
      if (textOf(chunk, 'type') !== 'message_start') return [next, events];
      const message = objectOf(chunk, 'message');
      const diagnosis = compares ? readDiagnosis(message) : undefined;
      return [{ ...next, responseId: textOf(message, 'id'), diagnosis }, events];
    },
  };
}

function spent({ counts }: State): Usage | undefined {
  const usage = usageOf(counts);
  return usage.reported ? usage : undefined;
}

function decode(state: State, chunk: JsonValue): Step {
  switch (textOf(chunk, 'type')) {
    case 'message_start':
      return [begun(state, objectOf(chunk, 'message')), []];
    case 'content_block_start':
      return beginBlock(state, countOf(chunk, 'index'), objectOf(chunk, 'content_block'));
    case 'content_block_delta':
      return continueBlock(state, countOf(chunk, 'index'), objectOf(chunk, 'delta'));
    case 'content_block_stop':
      return [state, []];
    case 'message_delta':
      return [closing(state, chunk), []];
    case 'message_stop':
      return [state, [{ kind: 'finished', answer: answerOf(state) }]];
    case 'error':
      return fail(state, classify({ body: chunk }));
    default:
      return [state, [{ kind: 'alive' }]];
  }
}

function begun(state: State, message: JsonObject | undefined): State {
  const dropped = listOf(message, 'input_transformations').filter((one) => textOf(one, 'type') === 'thinking_dropped');
  return {
    ...state,
    begun: true,
    counts: readCounts(state.counts, objectOf(message, 'usage')),
    dropped: dropped.length,
  };
}

function atEnd(state: State): readonly ModelEvent[] {
  const where = state.begun ? 'in the middle' : 'before it began';
  return [{ kind: 'failed', failure: truncated(`The answer ended ${where}: no message_stop came.`) }];
}

function fail(state: State, failure: ProviderFailure): Step {
  return [state, [{ kind: 'failed', failure }]];
}

function closing(state: State, chunk: JsonValue): State {
  const stopReason = textOf(objectOf(chunk, 'delta'), 'stop_reason') ?? state.stopReason;
  return { ...state, stopReason, counts: readCounts(state.counts, objectOf(chunk, 'usage')) };
}

function beginBlock(state: State, index: number | undefined, block: JsonObject | undefined): Step {
  if (index === undefined || block === undefined)
    return fail(state, malformed('A content block began without a body.'));
  const text = textOf(block, 'text') ?? '';
  return [withBlock(state, index, { block, json: '' }), text === '' ? [] : [delta('text', text)]];
}

function continueBlock(state: State, index: number | undefined, part: JsonObject | undefined): Step {
  const open = index === undefined ? undefined : state.blocks.get(index);
  if (index === undefined || open === undefined)
    return fail(state, malformed('A content block goes on that never began.'));
  switch (textOf(part, 'type')) {
    case 'text_delta':
      return grow(state, index, open, 'text', textOf(part, 'text') ?? '', 'text');
    case 'thinking_delta':
      return grow(state, index, open, 'thinking', textOf(part, 'thinking') ?? '', 'reasoning');
    case 'signature_delta':
      return [withBlock(state, index, withField(open, 'signature', textOf(part, 'signature') ?? '')), []];
    case 'input_json_delta': {
      const json = textOf(part, 'partial_json') ?? '';
      return [withBlock(state, index, { ...open, json: open.json + json }), [delta('toolInput', json)]];
    }
    default:
      return [state, []];
  }
}

function grow(
  state: State,
  index: number,
  open: OpenBlock,
  field: 'text' | 'thinking',
  text: string,
  channel: 'text' | 'reasoning',
): Step {
  const grown = withField(open, field, (textOf(open.block, field) ?? '') + text);
  return [withBlock(state, index, grown), [delta(channel, text)]];
}

function delta(channel: 'text' | 'reasoning' | 'toolInput', text: string): ModelEvent {
  return text === '' ? { kind: 'alive' } : { kind: 'delta', channel, text };
}

function withField(open: OpenBlock, field: string, text: string): OpenBlock {
  return { ...open, block: { ...open.block, [field]: text } };
}

function withBlock(state: State, index: number, open: OpenBlock): State {
  return { ...state, begun: true, blocks: new Map(state.blocks).set(index, open) };
}

function answerOf(state: State): Answer {
  const open = [...state.blocks.entries()].sort(([a], [b]) => a - b).map(([, block]) => block);
  const limited = state.stopReason === 'max_tokens' || state.stopReason === 'model_context_window_exceeded';
  const content = open.map((block, i) => blockOf(block, i, limited && i === open.length - 1));
  const { responseId, diagnosis, dropped } = state;
  return {
    content,
    stopReason: stopReasonOf(state.stopReason),
    usage: usageOf(state.counts),
    ...(dropped > 0 ? { removedReasoning: dropped } : {}),
    ...(responseId === undefined ? {} : { responseId }),
    ...(diagnosis === undefined ? {} : { diagnosis }),
  };
}

function blockOf({ block, json }: OpenBlock, position: number, cut: boolean): AssistantBlock {
  const type = textOf(block, 'type');
  if (type === 'text') return { kind: 'text', text: textOf(block, 'text') ?? '' };
  if (type !== 'tool_use') return { kind: 'opaque', wire: 'anthropic', json: JSON.stringify(withInput(block, json)) };
  const call = {
    id: textOf(block, 'id') ?? '',
    name: textOf(block, 'name') ?? '',
    json: json || givenInput(block),
    cut,
  };
  return toolCallBlock(call, position);
}

/** Some gateways give the whole input when the block begins. */
function givenInput(block: JsonObject): string {
  const input = block.input;
  return input === undefined || (isObject(input) && Object.keys(input).length === 0) ? '' : JSON.stringify(input);
}

/** Calls that the provider itself ran stream their input as well. */
function withInput(block: JsonObject, json: string): JsonObject {
  const input = json === '' ? undefined : parseJson(json);
  return input === undefined ? block : { ...block, input };
}
