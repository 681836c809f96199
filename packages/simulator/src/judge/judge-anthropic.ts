/**
 * Refuses what the Messages API refuses, in its words (Anthropic's API reference and SDK 1.14.0 as of 2026-11-29).
 * Stricter than it in one thing: roles must alternate.
 */
import { isObject, type Json, objectsOf, stringOf } from '../wire.ts';
import { judgeBinding } from './anthropic-binding.ts';
import { judgeAnthropicBlocks } from './anthropic-blocks.ts';
import { judgeAnthropicMarks } from './anthropic-marks.ts';
import { judgePairs } from './anthropic-pairs.ts';
import { judgeThinking } from './anthropic-thinking.ts';
import { judgeAnthropicImages } from './images.ts';
import { complaints, firstOf, invalid, type Judge, type Verdict } from './verdict.ts';

export const judgeAnthropic: Judge = (body, issued, headers) =>
  firstOf(
    (function* () {
      yield* judgeFields(body);
      yield* judgeTools(body);
      yield* judgeRoles(objectsOf(body.messages));
      yield* complaints(systemBlocks(body), judgeSystem);
      yield* complaints(objectsOf(body.messages), judgeAnthropicBlocks);
      yield* judgeAnthropicImages(objectsOf(body.messages));
      yield* judgeAnthropicMarks(body);
      yield* judgePairs(objectsOf(body.messages));
      yield* judgeThinking(objectsOf(body.messages), stringOf(body.model), issued);
      yield* judgeSettings(body);
      yield* judgeBinding(body, headers);
    })(),
  );

const fields: readonly string[] =
  'model messages max_tokens system tools tool_choice stream temperature top_p top_k stop_sequences metadata thinking service_tier output_config output_format cache_control diagnostics context_management container mcp_servers speed inference_geo thread compaction'.split(
    ' ',
  );

function* judgeFields(body: Json): Iterable<Verdict> {
  for (const field of ['model', 'max_tokens', 'messages']) {
    if (body[field] === undefined) yield invalid(`${field}: Field required`);
  }
  const unknown = Object.keys(body).find((key) => !fields.includes(key));
  if (unknown !== undefined) yield invalid(`${unknown}: Extra inputs are not permitted`);
  if (!Number.isInteger(body.max_tokens)) yield invalid('max_tokens: Input should be a valid integer');
  if (Number(body.max_tokens) < 0) yield invalid('max_tokens: Input should be greater than or equal to 0');
  if (!Array.isArray(body.messages)) yield invalid('messages: Input should be a valid array');
  if (objectsOf(body.messages).length === 0) yield invalid('messages: at least one message is required');
}

const toolName = /^[a-zA-Z0-9_-]{1,128}$/;

function* judgeTools(body: Json): Iterable<Verdict> {
  const tools = objectsOf(body.tools);
  for (const [i, tool] of tools.entries()) {
    const schema = tool.input_schema;
    if (!toolName.test(stringOf(tool.name)))
      yield invalid(`tools.${i}.custom.name: String should match pattern '${toolName.source}'`);
    if (!isObject(schema)) yield invalid(`tools.${i}.custom.input_schema: Field required`);
    else if (schema.type !== 'object') yield invalid(`tools.${i}.custom.input_schema.type: Input should be 'object'`);
  }
  if (new Set(tools.map((tool) => tool.name)).size < tools.length) yield invalid('tools: Tool names must be unique.');
}

function* judgeRoles(messages: readonly Json[]): Iterable<Verdict> {
  for (const [i, { role }] of messages.entries()) {
    if (role !== 'user' && role !== 'assistant') yield invalid(`messages: Unexpected role "${String(role)}".`);
    if (i === 0 && role !== 'user') yield invalid('messages: first message must use the "user" role');
    if (i > 0 && messages[i - 1]?.role === role) {
      yield invalid(
        `messages: roles must alternate between "user" and "assistant", but found multiple "${String(role)}" roles in a row`,
      );
    }
  }
  if (messages.at(-1)?.role === 'assistant') {
    yield invalid(
      'This model does not support assistant message prefill. The conversation must end with a user message.',
    );
  }
}

function systemBlocks(body: Json): readonly Json[] {
  return objectsOf(body.system);
}

function* judgeSystem(block: Json, i: number): Iterable<Verdict> {
  if (block.type !== 'text') yield invalid(`system.${i}.type: Input should be 'text'`);
  if (stringOf(block.text).trim() === '') yield invalid('system: text content blocks must be non-empty');
}

function* judgeSettings(body: Json): Iterable<Verdict> {
  const thinking = isObject(body.thinking) ? body.thinking : {};
  const choice = isObject(body.tool_choice) ? body.tool_choice.type : undefined;
  if (thinking.type === 'enabled') {
    if (Number(thinking.budget_tokens) < 1024) {
      yield invalid('thinking.enabled.budget_tokens: Input should be greater than or equal to 1024');
    }
    if (Number(body.max_tokens) <= Number(thinking.budget_tokens)) {
      yield invalid('`max_tokens` must be greater than `thinking.budget_tokens`.');
    }
    if (choice === 'any' || choice === 'tool')
      yield invalid('Thinking may not be enabled when tool_choice forces tool use.');
  }
}
