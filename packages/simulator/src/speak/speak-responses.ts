/**
 * Speaks OpenAI Responses, streamed and whole (openai 6.49.0 types, 2026-11-29). Every event is named and numbered; an
 * answer's items are reasoning with a summary and its sealed content, a message, and calls.
 */
import type { Stop } from '../players/player.ts';
import type { Json } from '../wire.ts';
import { type Answer, type AnswerCall, type Frame, pieces } from './answer.ts';
import { sealOf } from './signature.ts';

/** Why an answer is incomplete; absent: it is complete. */
const incompleteReasons: Readonly<Partial<Record<Stop, string>>> = {
  maxTokens: 'max_output_tokens',
  refusal: 'content_filter',
  contextFull: 'max_output_tokens',
};

export function streamResponses(answer: Answer): readonly Frame[] {
  const running = responseOf(answer, { status: 'in_progress', output: [], usage: null });
  const whole = wholeResponses(answer);
  const events: readonly Event[] = [
    { part: 'start', data: { type: 'response.created', response: running } },
    { part: 'start', data: { type: 'response.in_progress', response: running } },
    ...outputItems(answer).flatMap((item, index) => itemEvents(item, index)),
    { part: 'end', data: { type: `response.${String(whole.status)}`, response: whole } },
  ];
  return events.map(({ part, data }, i) => frameResponses(part, data, i));
}

export function wholeResponses(answer: Answer): Json {
  const reason = incompleteReasons[answer.stop];
  return responseOf(answer, {
    status: reason === undefined ? 'completed' : 'incomplete',
    incomplete_details: reason === undefined ? null : { reason },
    output: outputItems(answer),
    usage: usageOf(answer),
    ...(answer.diagnosis ? { prompt_cache_diagnostics: answer.diagnosis } : {}),
    ...transformed(answer.removedReasoning),
  });
}

/** What an edit of earlier input made void is left out in silence, and told here. */
function transformed(removed: number): Json {
  const one = { type: 'reasoning', action: 'removed', reason: 'prefix_mismatch' };
  return removed === 0 ? {} : { input_transformations: Array.from({ length: removed }, () => one) };
}

/** The items as they are when done: what must come back. */
export function outputItems(answer: Answer): readonly Json[] {
  const items = [
    ...reasoningItems(answer),
    ...messageItems(answer),
    ...answer.calls.map((call, i) => callItem(answer, call, i)),
  ];
  const cut = incompleteReasons[answer.stop] !== undefined;
  return items.map((item, i) =>
    cut && i === items.length - 1 && 'status' in item ? { ...item, status: 'incomplete' } : item,
  );
}

export function frameResponses(part: Frame['part'], data: Json, sequence_number: number): Frame {
  const { type, ...rest } = data;
  return { part, event: String(type), data: JSON.stringify({ type, sequence_number, ...rest }) };
}

/** A stream's own error event. */
export function errorEventResponses(code: string, message: string): Json {
  return { type: 'error', code, message, param: null };
}

/** How a stream says that the answer failed. `said`: the data of a frame before it, whose response it is. */
export function failedResponses(said: string, code: string, message: string): Json {
  const { response } = JSON.parse(said) as { readonly response: Json };
  return { type: 'response.failed', response: { ...response, status: 'failed', error: { code, message } } };
}

function responseOf(answer: Answer, now: Json): Json {
  return {
    id: `resp_sim_${answer.n}`,
    object: 'response',
    created_at: answer.created,
    status: null,
    background: false,
    error: null,
    incomplete_details: null,
    instructions: null,
    max_output_tokens: null,
    model: answer.model,
    output: [],
    parallel_tool_calls: true,
    previous_response_id: null,
    reasoning: { effort: null, summary: null },
    store: false,
    temperature: 1,
    text: { format: { type: 'text' } },
    tool_choice: 'auto',
    tools: [],
    top_p: 1,
    truncation: 'disabled',
    usage: null,
    user: null,
    metadata: {},
    ...now,
  };
}

/** `input_tokens` includes what was read from and written to the cache. */
function usageOf(answer: Answer): Json | null {
  if (answer.usage === null) return null;
  const { uncached, cacheRead, cacheWrite, output, reasoning } = answer.usage;
  const input = uncached + cacheRead + cacheWrite;
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + output,
  };
}

function reasoningItems({ n, reasoning }: Answer): readonly Json[] {
  if (reasoning === '') return [];
  const summary = [{ type: 'summary_text', text: reasoning }];
  return [{ id: `rs_sim_${n}`, type: 'reasoning', summary, encrypted_content: sealOf(reasoning) }];
}

function messageItems({ n, text, calls }: Answer): readonly Json[] {
  if (text === '') return [];
  const phase = calls.length > 0 ? 'commentary' : 'final_answer';
  const content = [{ type: 'output_text', annotations: [], logprobs: [], text }];
  return [{ id: `msg_sim_${n}`, type: 'message', status: 'completed', content, phase, role: 'assistant' }];
}

function callItem({ n }: Answer, call: AnswerCall, i: number): Json {
  const { id: call_id, name, inputText } = call;
  return {
    id: `fc_sim_${n}_${i + 1}`,
    type: 'function_call',
    status: 'completed',
    arguments: inputText,
    call_id,
    name,
  };
}

interface Event {
  readonly part: Frame['part'];
  readonly data: Json;
}

function itemEvents(item: Json, output_index: number): readonly Event[] {
  const at = { item_id: item.id, output_index };
  return [
    { part: 'start', data: { type: 'response.output_item.added', output_index, item: begun(item) } },
    ...(insides[String(item.type)]?.(item, at) ?? []),
    { part: 'output', data: { type: 'response.output_item.done', output_index, item } },
  ];
}

/** An item as it is announced: nothing of its content. */
function begun(item: Json): Json {
  if (item.type === 'reasoning') return { ...item, summary: [], encrypted_content: sealOf('') };
  if (item.type === 'message') return { ...item, status: 'in_progress', content: [] };
  return { ...item, status: 'in_progress', arguments: '' };
}

const insides: Readonly<Record<string, (item: Json, at: Json) => readonly Event[]>> = {
  reasoning: (item, at) => summaryEvents(textIn(item.summary), { ...at, summary_index: 0 }),
  message: (item, at) => textEvents(textIn(item.content), { ...at, content_index: 0 }),
  function_call: (item, at) => argumentEvents(item, at),
};

function summaryEvents(text: string, at: Json): readonly Event[] {
  const event = (what: string, more: Json): Event => ({
    part: 'output',
    data: { type: `response.reasoning_summary_${what}`, ...at, ...more },
  });
  return [
    event('part.added', { part: { type: 'summary_text', text: '' } }),
    ...pieces(text).map((delta) => event('text.delta', { delta })),
    event('text.done', { text }),
    event('part.done', { part: { type: 'summary_text', text } }),
  ];
}

function textEvents(text: string, at: Json): readonly Event[] {
  const event = (part: Frame['part'], what: string, more: Json): Event => ({
    part,
    data: { type: `response.${what}`, ...at, ...more },
  });
  const partOf = (said: string) => ({ type: 'output_text', annotations: [], logprobs: [], text: said });
  return [
    event('start', 'content_part.added', { part: partOf('') }),
    ...pieces(text).map((delta) => event('output', 'output_text.delta', { delta, logprobs: [] })),
    event('output', 'output_text.done', { text, logprobs: [] }),
    event('output', 'content_part.done', { part: partOf(text) }),
  ];
}

function argumentEvents(item: Json, at: Json): readonly Event[] {
  const type = 'response.function_call_arguments';
  const deltas = pieces(String(item.arguments));
  return [
    ...deltas.map((delta): Event => ({ part: 'toolInput', data: { type: `${type}.delta`, ...at, delta } })),
    { part: 'output', data: { type: `${type}.done`, ...at, name: item.name, arguments: item.arguments } },
  ];
}

function textIn(parts: unknown): string {
  const [first] = Array.isArray(parts) ? parts : [];
  return String((first as { readonly text?: unknown } | undefined)?.text ?? '');
}
