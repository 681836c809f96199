/** Calls and tool messages: each call has a unique id and JSON arguments, and is answered before anything else is said. */
import { isObject, type Json, objectsOf, stringOf } from '../wire.ts';
import { invalid, type Verdict } from './verdict.ts';

export function* judgeChatCalls(messages: readonly Json[]): Iterable<Verdict> {
  const ids = new Set<string>();
  let open: readonly string[] = [];
  for (const [i, message] of messages.entries()) {
    if (message.role === 'tool') {
      yield* judgeToolMessage(message, i, open);
      open = open.filter((id) => id !== message.tool_call_id);
      continue;
    }
    if (open.length > 0) yield unanswered(i, open);
    for (const [j, call] of objectsOf(message.tool_calls).entries()) yield* judgeCall(call, i, j, ids);
    open = objectsOf(message.tool_calls).map((call) => stringOf(call.id));
  }
  if (open.length > 0) yield unanswered(messages.length - 1, open);
}

function* judgeToolMessage(message: Json, i: number, open: readonly string[]): Iterable<Verdict> {
  const id = message.tool_call_id;
  if (typeof id !== 'string') {
    yield invalid("Missing parameter 'tool_call_id': messages with role 'tool' must have a 'tool_call_id'.", {
      param: `messages.[${i}].tool_call_id`,
    });
  } else if (!open.includes(id)) {
    yield invalid(
      "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
      { param: `messages.[${i}].role` },
    );
  }
}

function* judgeCall(call: Json, i: number, j: number, ids: Set<string>): Iterable<Verdict> {
  const id = stringOf(call.id);
  const fn = isObject(call.function) ? call.function : {};
  const param = `messages[${i}].tool_calls[${j}]`;
  if (id === '' || id.length > 64)
    yield invalid(`Invalid '${param}.id': expected a string of 1 to 64 characters.`, { param: `${param}.id` });
  if (ids.has(id))
    yield invalid(`Duplicate value for 'tool_call_id' of '${id}' in message[${i}]`, { param: `${param}.id` });
  ids.add(id);
  if (call.type !== 'function')
    yield invalid(`Missing required parameter: '${param}.type'.`, { param: `${param}.type` });
  if (stringOf(fn.name) === '')
    yield invalid(`Missing required parameter: '${param}.function.name'.`, { param: `${param}.function.name` });
  if (typeof fn.arguments !== 'string') {
    yield invalid(`Invalid type for '${param}.function.arguments': expected a string.`, {
      code: 'invalid_type',
      param: `${param}.function.arguments`,
    });
  } else if (!isJsonObject(fn.arguments)) {
    yield invalid(`Invalid '${param}.function.arguments': expected the text of a JSON object.`, {
      code: 'invalid_value',
      param: `${param}.function.arguments`,
    });
  }
}

function isJsonObject(text: string): boolean {
  try {
    return isObject(JSON.parse(text));
  } catch {
    return false;
  }
}

function unanswered(i: number, ids: readonly string[]): Verdict {
  return invalid(
    `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${ids.join(', ')}`,
    { param: `messages.[${i}].role` },
  );
}
