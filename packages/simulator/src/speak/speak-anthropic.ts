/** Speaks Anthropic Messages, streamed and whole. Usage in `message_delta` is cumulative. */
import type { Stop } from '../players/player.ts';
import type { Json } from '../wire.ts';
import { type Answer, type AnswerCall, type Frame, pieces } from './answer.ts';
import { signatureOf } from './signature.ts';

const stopReasons: Readonly<Record<Stop, string>> = {
  end: 'end_turn',
  toolUse: 'tool_use',
  maxTokens: 'max_tokens',
  refusal: 'refusal',
  pause: 'pause_turn',
  contextFull: 'model_context_window_exceeded',
};

export function streamAnthropic(answer: Answer): readonly Frame[] {
  const blocks = [...reasoningBlocks(answer), ...textBlocks(answer), ...answer.calls.map(callBlock)];
  return [
    frame('start', {
      type: 'message_start',
      message: { ...head(answer), content: [], stop_reason: null, stop_sequence: null, ...usage(answer, 1) },
    }),
    ...blocks.flatMap((block, index) => block(index)),
    frame('end', {
      type: 'message_delta',
      delta: { stop_reason: stopReasons[answer.stop], stop_sequence: null },
      ...usage(answer, answer.usage?.output ?? 0),
    }),
    frame('end', { type: 'message_stop' }),
  ];
}

export function wholeAnthropic(answer: Answer): Json {
  return {
    ...head(answer),
    content: [
      ...(answer.reasoning === ''
        ? []
        : [{ type: 'thinking', thinking: answer.reasoning, signature: signatureOf(answer.reasoning) }]),
      ...(answer.text === '' ? [] : [{ type: 'text', text: answer.text }]),
      ...answer.calls.map((call) => ({ type: 'tool_use', id: call.id, name: call.name, input: inputOf(call) })),
    ],
    stop_reason: stopReasons[answer.stop],
    stop_sequence: null,
    ...usage(answer, answer.usage?.output ?? 0),
  };
}

export const pingAnthropic: Frame = { part: 'ping', event: 'ping', data: '{"type":"ping"}' };

export function errorAnthropic(type: string, message: string, details?: Json): Json {
  return {
    type: 'error',
    error: { type, message, ...(details === undefined ? {} : { details }) },
    request_id: 'req_sim',
  };
}

function head(answer: Answer): Json {
  const { n, model, diagnosis, removedReasoning } = answer;
  const dropped = Array.from({ length: removedReasoning }, (_, i) => ({
    type: 'thinking_dropped',
    path: `messages.${2 * i + 1}.content.0`,
    reason: 'prefix_binding_mismatch',
  }));
  const said = diagnosis === undefined ? {} : { diagnostics: diagnosis };
  return { id: `msg_sim_${n}`, type: 'message', role: 'assistant', model, ...said, ...transformed(dropped) };
}

function usage(answer: Answer, output: number): Json {
  if (answer.usage === null) return {};
  const { uncached, cacheRead, cacheWrite, cacheWrite1h } = answer.usage;
  return {
    usage: {
      input_tokens: uncached,
      cache_creation_input_tokens: cacheWrite,
      cache_read_input_tokens: cacheRead,
      cache_creation: { ephemeral_5m_input_tokens: cacheWrite - cacheWrite1h, ephemeral_1h_input_tokens: cacheWrite1h },
      output_tokens: output,
    },
  };
}

function transformed(transformations: readonly Json[]): Json {
  return transformations.length === 0 ? {} : { input_transformations: transformations };
}

type BlockFrames = (index: number) => readonly Frame[];

function reasoningBlocks(answer: Answer): readonly BlockFrames[] {
  if (answer.reasoning === '') return [];
  const deltas = pieces(answer.reasoning).map((thinking) => ({ type: 'thinking_delta', thinking }));
  const signature = { type: 'signature_delta', signature: signatureOf(answer.reasoning) };
  return [(index) => block(index, 'output', { type: 'thinking', thinking: '', signature: '' }, [...deltas, signature])];
}

function textBlocks(answer: Answer): readonly BlockFrames[] {
  if (answer.text === '') return [];
  const deltas = pieces(answer.text, answer.deltaLength).map((text) => ({ type: 'text_delta', text }));
  return [(index) => block(index, 'output', { type: 'text', text: '' }, deltas)];
}

function callBlock(call: AnswerCall): BlockFrames {
  const deltas = ['', ...pieces(call.inputText)].map((partial_json) => ({ type: 'input_json_delta', partial_json }));
  return (index) => block(index, 'toolInput', { type: 'tool_use', id: call.id, name: call.name, input: {} }, deltas);
}

function block(index: number, part: Frame['part'], start: Json, deltas: readonly Json[]): readonly Frame[] {
  return [
    frame('start', { type: 'content_block_start', index, content_block: start }),
    ...(index === 0 ? [pingAnthropic] : []),
    ...deltas.map((delta) => frame(part, { type: 'content_block_delta', index, delta })),
    frame('output', { type: 'content_block_stop', index }),
  ];
}

function frame(part: Frame['part'], data: Json): Frame {
  return { part, event: String(data.type), data: JSON.stringify(data) };
}

function inputOf(call: AnswerCall): unknown {
  try {
    return JSON.parse(call.inputText);
  } catch {
    return {};
  }
}
