/** Every function_call has a name, JSON arguments and one output behind it, and no output stands without its call. */
import { typeOf } from '../view/view-responses.ts';
import { isObject, type Json, stringOf } from '../wire.ts';
import { missing } from './openai-words.ts';
import { invalid, type Verdict } from './verdict.ts';

export function* judgeResponsesCalls(items: readonly Json[]): Iterable<Verdict> {
  const ids = new Set<string>();
  const open = new Set<string>();
  for (const [i, item] of items.entries()) {
    const id = stringOf(item.call_id);
    if (typeOf(item) === 'function_call') {
      yield* judgeCall(item, i, ids);
      open.add(id);
    } else if (typeOf(item) === 'function_call_output') {
      if (typeof item.call_id !== 'string') yield missing(`input[${i}].call_id`);
      if (!open.delete(id)) yield inputRefused(`No tool call found for function call output with call_id ${id}.`);
    }
  }
  for (const id of open) yield inputRefused(`No tool output found for function call ${id}.`);
}

function* judgeCall(item: Json, i: number, ids: Set<string>): Iterable<Verdict> {
  for (const field of ['call_id', 'name', 'arguments']) {
    if (typeof item[field] !== 'string') yield missing(`input[${i}].${field}`);
  }
  const id = stringOf(item.call_id);
  if (id === '' || id.length > 64) {
    const message = `Invalid 'input[${i}].call_id': expected a string of 1 to 64 characters.`;
    yield invalid(message, { code: 'string_above_max_length', param: `input[${i}].call_id` });
  }
  if (ids.has(id)) yield inputRefused(`Duplicate function call with call_id ${id}.`);
  ids.add(id);
  if (!/^[a-zA-Z0-9_-]{1,128}$/.test(stringOf(item.name))) {
    const message = `Invalid 'input[${i}].name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`;
    yield invalid(message, { code: 'invalid_value', param: `input[${i}].name` });
  }
  if (!isJsonObject(stringOf(item.arguments))) {
    const message = `Invalid 'input[${i}].arguments': expected the text of a JSON object.`;
    yield invalid(message, { code: 'invalid_value', param: `input[${i}].arguments` });
  }
}

function isJsonObject(text: string): boolean {
  try {
    return isObject(JSON.parse(text));
  } catch {
    return false;
  }
}

export function inputRefused(message: string): Verdict {
  return invalid(message, { param: 'input' });
}
