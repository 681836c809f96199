/**
 * Makes the block of a tool call from its collected arguments. Invariant: `inputJson` is always the JSON of an object;
 * when what came is cut or something else it is '{}' and `broken` says why, so that the call never runs (F-08).
 */
import type { AssistantBlock } from '@zerd/protocol/common/event';
import type { CallId } from '@zerd/protocol/common/ids';
import { isObject, parseJson } from './json/fields.ts';

export interface CollectedCall {
  readonly id: string;
  readonly name: string;
  /** The arguments exactly as received. */
  readonly json: string;
  /** The answer hit a limit after this call: nothing at all may then be a cut beginning. */
  readonly cut: boolean;
}

/** Nothing sensible nests deeper; what does would overflow the stack of whoever walks it. */
const deepest = 200;

/** `position` makes up an id where the endpoint gave none. */
export function toolCallBlock(call: CollectedCall, position: number): AssistantBlock {
  const callId = (call.id || `call_${position}`) as CallId;
  const broken = whyBroken(call);
  if (broken !== undefined) return { kind: 'toolCall', callId, name: call.name, inputJson: '{}', broken };
  return { kind: 'toolCall', callId, name: call.name, inputJson: call.json.trim() === '' ? '{}' : call.json };
}

function whyBroken({ json, cut }: CollectedCall): string | undefined {
  if (json.trim() === '') return cut ? 'the answer was cut off before the arguments' : undefined;
  if (nesting(json) > deepest) return `the arguments nest deeper than ${deepest} levels`;
  const value = parseJson(json);
  if (value === undefined)
    return cut ? 'the answer was cut off inside the arguments' : 'the arguments are not valid JSON';
  return isObject(value) ? undefined : 'the arguments are not a JSON object';
}

/** How deep brackets nest outside strings. */
function nesting(json: string): number {
  let depth = 0;
  let most = 0;
  let inString = false;
  for (let i = 0; i < json.length; i += 1) {
    const unit = json[i];
    if (inString && unit === '\\') i += 1;
    else if (unit === '"') inString = !inString;
    else if (!inString && (unit === '{' || unit === '[')) most = Math.max(most, ++depth);
    else if (!inString && (unit === '}' || unit === ']')) depth -= 1;
  }
  return most;
}
