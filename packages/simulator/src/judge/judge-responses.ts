/**
 * Refuses what the Responses API refuses, in its words (API reference, SDK 6.49.0 and reported refusals as of
 * 2026-11-29). Stricter than it in four things: nothing may be stored or referred to, the system prompt must be a leading
 * developer item (`instructions` are hardly cached), arguments must be JSON, and a call has one output.
 */
import { inputItems, isInstruction } from '../view/view-responses.ts';
import { isObject, type Json, objectsOf, stringOf } from '../wire.ts';
import { missing, unknownParameter, unsupported } from './openai-words.ts';
import { judgeResponsesCalls } from './responses-calls.ts';
import { judgeResponsesItem } from './responses-items.ts';
import { judgeReasoning } from './responses-reasoning.ts';
import { complaints, firstOf, invalid, type Judge, stricter, type Verdict } from './verdict.ts';

export const judgeResponses: Judge = (body, issued) =>
  firstOf(
    (function* () {
      yield* judgeFields(body);
      yield* judgeSettings(body);
      yield* complaints(objectsOf(body.tools), judgeTool);
      const items = inputItems(body);
      yield* complaints(items, judgeResponsesItem);
      yield* judgeResponsesCalls(items);
      yield* judgeReasoning(items, issued);
      yield* judgeHouse(body);
    })(),
  );

const fields: readonly string[] =
  'background context_management conversation include input instructions max_output_tokens max_tool_calls metadata model moderation parallel_tool_calls previous_response_id prompt prompt_cache_key prompt_cache_options prompt_cache_retention reasoning safety_identifier service_tier store stream stream_options temperature text tool_choice tools top_logprobs top_p truncation user'.split(
    ' ',
  );

function* judgeFields(body: Json): Iterable<Verdict> {
  const unknown = Object.keys(body).find((key) => !fields.includes(key));
  if (unknown !== undefined) yield unknownParameter(unknown);
  if (typeof body.model !== 'string') yield missing('model');
  if (body.input === undefined) yield missing('input');
  if (typeof body.input !== 'string' && !Array.isArray(body.input)) {
    const message = "Invalid type for 'input': expected one of a list of input items or a string.";
    yield invalid(message, { code: 'invalid_type', param: 'input' });
  }
  if (Array.isArray(body.input) && objectsOf(body.input).length < Math.max(1, body.input.length)) {
    yield invalid("Invalid 'input': expected a list of at least one item.", { code: 'invalid_value', param: 'input' });
  }
}

/** The values of `include` that mean something without tools of the provider's own. */
const included: readonly string[] = ['reasoning.encrypted_content', 'message.output_text.logprobs'];

function* judgeSettings(body: Json): Iterable<Verdict> {
  if (body.max_output_tokens !== undefined && Number(body.max_output_tokens) < 16) {
    const message = `Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got ${body.max_output_tokens} instead.`;
    yield invalid(message, { code: 'integer_below_min_value', param: 'max_output_tokens' });
  }
  const key = stringOf(body.prompt_cache_key);
  if (key.length > 64) {
    const message = `Invalid 'prompt_cache_key': string too long. Expected a string with maximum length 64, but got a string with length ${key.length} instead.`;
    yield invalid(message, { code: 'string_above_max_length', param: 'prompt_cache_key' });
  }
  if (body.stream_options !== undefined && body.stream !== true) {
    const message = "The 'stream_options' parameter is only allowed when 'stream' is enabled.";
    yield invalid(message, { param: 'stream_options' });
  }
  const include = Array.isArray(body.include) ? body.include : [];
  for (const [i, value] of include.entries()) {
    if (!included.includes(String(value))) yield unsupported(String(value), included, `include[${i}]`);
  }
  if (body.previous_response_id !== undefined && body.previous_response_id !== null) {
    const message = `Previous response with id '${String(body.previous_response_id)}' not found.`;
    yield invalid(message, { code: 'previous_response_not_found', param: 'previous_response_id' });
  }
}

const toolFields: readonly string[] = ['type', 'name', 'description', 'parameters', 'strict'];

function* judgeTool(tool: Json, i: number): Iterable<Verdict> {
  if (tool.type !== 'function') yield unsupported(stringOf(tool.type), ['function', 'custom'], `tools[${i}].type`);
  if (tool.name === undefined) yield missing(`tools[${i}].name`);
  const unknown = Object.keys(tool).find((key) => !toolFields.includes(key));
  if (unknown !== undefined) yield unknownParameter(`tools[${i}].${unknown}`);
  if (!/^[a-zA-Z0-9_-]{1,64}$/.test(stringOf(tool.name))) {
    const pattern = "Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.";
    const message = `Invalid 'tools[${i}].name': string does not match pattern. ${pattern}`;
    yield invalid(message, { code: 'invalid_value', param: `tools[${i}].name` });
  }
  const schema = isObject(tool.parameters) ? tool.parameters : {};
  // What is not said to be lax is held to be strict only where it can be.
  if (tool.strict === true && schema.additionalProperties !== false) {
    const message = `Invalid schema for function '${stringOf(tool.name)}': In context=(), 'additionalProperties' is required to be supplied and to be false.`;
    yield invalid(message, { code: 'invalid_function_parameters', param: `tools[${i}].parameters` });
  }
}

function* judgeHouse(body: Json): Iterable<Verdict> {
  if (body.store !== false) yield stricter("Nothing may be stored: 'store' must be false.", 'store');
  if (typeof body.instructions === 'string' && body.instructions !== '') {
    yield stricter("'instructions' are hardly cached: send a leading developer item.", 'instructions');
  }
  const [first] = inputItems(body);
  if (objectsOf(body.tools).length > 0 && (first === undefined || !isInstruction(first))) {
    yield stricter('An agent that has tools sends its system prompt as the first developer item.', 'input[0]');
  }
}
