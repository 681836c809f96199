/**
 * Refuses what Chat Completions refuses, in OpenAI's words (API reference and SDK 6.49.0 as of 2026-11-29). Stricter
 * than it in two things, as other servers of this wire are: arguments must be JSON, and no message may be empty.
 */
import { isObject, type Json, objectsOf, stringOf } from '../wire.ts';
import { judgeChatCalls } from './chat-calls.ts';
import { judgeOpenAiImage } from './images.ts';
import { complaints, firstOf, invalid, type Judge, type Verdict } from './verdict.ts';

export const judgeChat: Judge = (body) =>
  firstOf(
    (function* () {
      yield* judgeFields(body);
      yield* complaints(objectsOf(body.tools), judgeTool);
      yield* complaints(objectsOf(body.messages), judgeMessage);
      yield* judgeChatCalls(objectsOf(body.messages));
    })(),
  );

const fields: readonly string[] =
  'model messages stream stream_options tools tool_choice parallel_tool_calls max_tokens max_completion_tokens temperature top_p n stop presence_penalty frequency_penalty logit_bias logprobs top_logprobs user seed response_format reasoning_effort verbosity prompt_cache_key prompt_cache_options prompt_cache_retention safety_identifier service_tier store metadata modalities prediction'.split(
    ' ',
  );

function* judgeFields(body: Json): Iterable<Verdict> {
  if (typeof body.model !== 'string') yield invalid('you must provide a model parameter');
  if (!Array.isArray(body.messages)) {
    yield invalid("Missing required parameter: 'messages'.", { code: 'missing_required_parameter', param: 'messages' });
  }
  if (objectsOf(body.messages).length === 0) yield emptyArray('messages');
  const unknown = Object.keys(body).find((key) => !fields.includes(key));
  if (unknown !== undefined)
    yield invalid(`Unknown parameter: '${unknown}'.`, { code: 'unknown_parameter', param: unknown });
  if (body.stream_options !== undefined && body.stream !== true) {
    yield invalid("The 'stream_options' parameter is only allowed when 'stream' is enabled.", {
      param: 'stream_options',
    });
  }
  if (Array.isArray(body.tools) && body.tools.length === 0) yield emptyArray('tools');
  if (stringOf(body.prompt_cache_key).length > 64) {
    yield invalid("Invalid 'prompt_cache_key': string too long. Expected a string with maximum length 64.", {
      code: 'string_above_max_length',
      param: 'prompt_cache_key',
    });
  }
}

function emptyArray(param: string): Verdict {
  const message = `Invalid '${param}': empty array. Expected an array with minimum length 1, but got an empty array instead.`;
  return invalid(message, { code: 'empty_array', param });
}

function* judgeTool(tool: Json, i: number): Iterable<Verdict> {
  const fn = isObject(tool.function) ? tool.function : {};
  if (tool.type !== 'function') {
    yield invalid(`Invalid value: '${stringOf(tool.type)}'. Supported values are: 'function' and 'custom'.`, {
      code: 'invalid_value',
      param: `tools[${i}].type`,
    });
  }
  if (!/^[a-zA-Z0-9_-]{1,64}$/.test(stringOf(fn.name))) {
    const pattern = "Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.";
    yield invalid(`Invalid 'tools[${i}].function.name': string does not match pattern. ${pattern}`, {
      code: 'invalid_value',
      param: `tools[${i}].function.name`,
    });
  }
}

const roles: readonly string[] = ['system', 'assistant', 'user', 'function', 'tool', 'developer'];

function* judgeMessage(message: Json, i: number): Iterable<Verdict> {
  const role = stringOf(message.role);
  if (!roles.includes(role)) {
    const supported = "'system', 'assistant', 'user', 'function', 'tool', and 'developer'";
    yield invalid(`Invalid value: '${role}'. Supported values are: ${supported}.`, {
      code: 'invalid_value',
      param: `messages[${i}].role`,
    });
  }
  yield* complaints(objectsOf(message.content), (part, j) => judgePart(part, role, `messages[${i}].content[${j}]`));
  const hasCalls = Array.isArray(message.tool_calls);
  if (hasCalls && objectsOf(message.tool_calls).length === 0) yield emptyArray(`messages[${i}].tool_calls`);
  if (role === 'tool' ? typeof message.content === 'string' : hasCalls || !isEmpty(message.content)) return;
  const got = message.content === null || message.content === undefined ? 'null' : 'an empty one';
  yield invalid(`Invalid value for 'content': expected a string, got ${got}.`, { param: `messages.[${i}].content` });
}

function* judgePart(part: Json, role: string, at: string): Iterable<Verdict> {
  const type = stringOf(part.type);
  if (type === 'image_url' && role !== 'user') {
    const message = `Invalid '${at}': image URLs are only allowed for messages with role 'user', but this message with role '${role}' contains an image URL.`;
    yield invalid(message, { code: 'invalid_value', param: at });
  }
  if (type !== 'text' && type !== 'image_url') {
    yield invalid(`Invalid value: '${type}'. Supported values are: 'text' and 'image_url'.`, {
      code: 'invalid_value',
      param: `${at}.type`,
    });
  }
  yield* judgeOpenAiImage(part, at);
}

function isEmpty(content: unknown): boolean {
  if (typeof content === 'string') return content === '';
  return objectsOf(content).every((part) => part.type === 'text' && stringOf(part.text) === '');
}
