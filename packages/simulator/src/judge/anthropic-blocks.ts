/** What one message may hold: known blocks with known fields, none of them empty. */
import { isObject, type Json, objectsOf, stringOf } from '../wire.ts';
import { complaints, invalid, type Verdict } from './verdict.ts';

/** Blocks that may be sent, and their fields beside `type`. */
const userBlocks: Readonly<Record<string, readonly string[]>> = {
  text: ['text', 'cache_control', 'citations'],
  image: ['source', 'cache_control'],
  document: ['source', 'cache_control', 'title', 'context', 'citations'],
  tool_result: ['tool_use_id', 'content', 'is_error', 'cache_control'],
};
const assistantBlocks: Readonly<Record<string, readonly string[]>> = {
  text: ['text', 'cache_control', 'citations'],
  tool_use: ['id', 'name', 'input', 'cache_control'],
  thinking: ['thinking', 'signature'],
  redacted_thinking: ['data'],
};

export function* judgeAnthropicBlocks(message: Json, i: number): Iterable<Verdict> {
  const extra = Object.keys(message).find((key) => key !== 'role' && key !== 'content');
  if (extra !== undefined) yield invalid(`messages.${i}.${extra}: Extra inputs are not permitted`);
  const { content } = message;
  if (typeof content === 'string') return yield* judgeString(content, i);
  if (!Array.isArray(content)) yield invalid(`messages.${i}.content: Field required`);
  if (objectsOf(content).length === 0) yield emptyContent(i);
  yield* complaints(objectsOf(content), (block, j) => judgeBlock(block, `messages.${i}.content.${j}`, message.role));
}

function* judgeString(content: string, i: number): Iterable<Verdict> {
  if (content === '') yield emptyContent(i);
  if (content.trim() === '') yield invalid('messages: text content blocks must contain non-whitespace text');
}

function emptyContent(i: number): Verdict {
  return invalid(
    `messages.${i}: all messages must have non-empty content except for the optional final assistant message`,
  );
}

function* judgeBlock(block: Json, at: string, role: unknown): Iterable<Verdict> {
  const type = stringOf(block.type);
  const allowed = (role === 'assistant' ? assistantBlocks : userBlocks)[type];
  if (allowed === undefined)
    return yield invalid(`${at}: Input tag '${type}' found using 'type' does not match any of the expected tags`);
  const extra = Object.keys(block).find((key) => key !== 'type' && !allowed.includes(key));
  if (extra !== undefined) yield invalid(`${at}.${type}.${extra}: Extra inputs are not permitted`);
  if (type === 'text') yield* judgeText(block);
  if (type === 'tool_use') yield* judgeCall(block, at);
  if (type === 'tool_result') yield* judgeResult(block, at);
}

function* judgeText(block: Json): Iterable<Verdict> {
  if (stringOf(block.text) === '') yield invalid('messages: text content blocks must be non-empty');
  if (stringOf(block.text).trim() === '')
    yield invalid('messages: text content blocks must contain non-whitespace text');
}

function* judgeCall(block: Json, at: string): Iterable<Verdict> {
  if (!/^[a-zA-Z0-9_-]+$/.test(stringOf(block.id))) {
    yield invalid(`${at}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`);
  }
  if (!/^[a-zA-Z0-9_-]{1,200}$/.test(stringOf(block.name))) {
    yield invalid(`${at}.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,200}$'`);
  }
  if (!isObject(block.input)) yield invalid(`${at}.tool_use.input: Input should be a valid dictionary`);
}

const inResults: readonly string[] = ['text', 'image', 'document', 'search_result', 'tool_reference'];

function* judgeResult(block: Json, at: string): Iterable<Verdict> {
  if (typeof block.tool_use_id !== 'string') yield invalid(`${at}.tool_result.tool_use_id: Field required`);
  const parts = objectsOf(block.content);
  const stranger = parts.find((part) => !inResults.includes(stringOf(part.type)));
  if (stranger !== undefined)
    yield invalid(
      `${at}.tool_result.content: Input tag '${stringOf(stranger.type)}' found using 'type' does not match any of the expected tags`,
    );
  if (parts.some((part) => part.type === 'text' && stringOf(part.text) === '')) {
    yield invalid('messages: text content blocks must be non-empty');
  }
  if (block.is_error === true && parts.some((part) => part.type !== 'text')) {
    yield invalid(`${at}.tool_result: all content must be type "text" if "is_error" is true`);
  }
}
