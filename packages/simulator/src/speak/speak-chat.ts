/** Speaks Chat Completions, streamed and whole. Reasoning travels as `reasoning_content`. */
import type { Stop } from '../players/player.ts';
import type { Json } from '../wire.ts';
import { type Answer, type AnswerCall, type Frame, pieces } from './answer.ts';

const finishReasons: Readonly<Record<Stop, string>> = {
  end: 'stop',
  toolUse: 'tool_calls',
  maxTokens: 'length',
  refusal: 'content_filter',
  pause: 'stop',
  contextFull: 'length',
};

export function streamChat(answer: Answer): readonly Frame[] {
  const chunk = (part: Frame['part'], delta: Json, finish: string | null = null) => frame(answer, part, delta, finish);
  return [
    chunk('start', { role: 'assistant', content: '' }),
    ...pieces(answer.reasoning).map((reasoning_content) => chunk('output', { reasoning_content })),
    ...pieces(answer.text, answer.deltaLength).map((content) => chunk('output', { content })),
    ...answer.calls.flatMap((call, index) =>
      callDeltas(call, index).map((delta, i) => chunk(i === 0 ? 'start' : 'toolInput', delta)),
    ),
    chunk('end', {}, finishReasons[answer.stop]),
    ...usageFrames(answer),
    { part: 'end', data: '[DONE]' },
  ];
}

export function wholeChat(answer: Answer): Json {
  const message = {
    role: 'assistant',
    content: answer.text === '' && answer.calls.length > 0 ? null : answer.text,
    ...(answer.reasoning === '' ? {} : { reasoning_content: answer.reasoning }),
    ...(answer.calls.length === 0 ? {} : { tool_calls: answer.calls.map(callOf) }),
  };
  return {
    ...head(answer, 'chat.completion'),
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishReasons[answer.stop] }],
    ...(answer.usage === null ? {} : { usage: usageOf(answer) }),
  };
}

export function errorChat(
  type: string,
  message: string,
  code: string | null = null,
  param: string | null = null,
): Json {
  return { error: { message, type, param, code } };
}

function head(answer: Answer, object: string): Json {
  return { id: `chatcmpl-sim-${answer.n}`, object, created: answer.created, model: answer.model };
}

function frame(answer: Answer, part: Frame['part'], delta: Json, finish: string | null): Frame {
  const choices = [{ index: 0, delta, logprobs: null, finish_reason: finish }];
  const pending = answer.includeUsage ? { usage: null } : {};
  return { part, data: JSON.stringify({ ...head(answer, 'chat.completion.chunk'), choices, ...pending }) };
}

function usageFrames(answer: Answer): readonly Frame[] {
  if (!answer.includeUsage || answer.usage === null) return [];
  const data = { ...head(answer, 'chat.completion.chunk'), choices: [], usage: usageOf(answer) };
  return [{ part: 'end', data: JSON.stringify(data) }];
}

function usageOf(answer: Answer): Json {
  const { uncached = 0, cacheRead = 0, cacheWrite = 0, output = 0, reasoning = 0 } = answer.usage ?? {};
  const prompt = uncached + cacheRead + cacheWrite;
  return {
    prompt_tokens: prompt,
    completion_tokens: output,
    total_tokens: prompt + output,
    prompt_tokens_details: {
      cached_tokens: cacheRead,
      ...(cacheWrite === 0 ? {} : { cache_write_tokens: cacheWrite }),
    },
    completion_tokens_details: { reasoning_tokens: reasoning },
  };
}

function callDeltas(call: AnswerCall, index: number): readonly Json[] {
  const start = {
    tool_calls: [{ index, id: call.id, type: 'function', function: { name: call.name, arguments: '' } }],
  };
  return [
    start,
    ...pieces(call.inputText).map((piece) => ({ tool_calls: [{ index, function: { arguments: piece } }] })),
  ];
}

function callOf(call: AnswerCall): Json {
  return { id: call.id, type: 'function', function: { name: call.name, arguments: call.inputText } };
}
