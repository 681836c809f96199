/**
 * Collects the pieces of an answer's tool calls. Endpoints number them, name them or do neither: a piece belongs to the
 * newest call of its index, unless it brings a name and an id of its own.
 */
import type { JsonObject, JsonValue } from '@zerd/protocol/common/json';
import { countOf, isObject, objectOf, textOf } from '../json/fields.ts';

export interface CallParts {
  readonly index: number | undefined;
  readonly id: string;
  readonly name: string;
  readonly json: string;
  readonly extra: JsonValue | undefined;
}

/** The calls after a piece, and what of the arguments is new. */
export function addCallPiece(calls: readonly CallParts[], piece: JsonValue): readonly [readonly CallParts[], string] {
  if (!isObject(piece)) return [calls, ''];
  const index = countOf(piece, 'index');
  const json = argumentsOf(objectOf(piece, 'function'));
  const at = calls.findLastIndex((call) => index === undefined || call.index === index);
  const known = calls[at];
  if (known === undefined || beginsAnother(known, piece))
    return [[...calls, grown(emptyCall(index), piece, json)], json];
  return [calls.with(at, grown(known, piece, json)), json];
}

function emptyCall(index: number | undefined): CallParts {
  return { index, id: '', name: '', json: '', extra: undefined };
}

function beginsAnother(known: CallParts, piece: JsonObject): boolean {
  const id = textOf(piece, 'id') ?? '';
  return id !== '' && known.id !== '' && id !== known.id && (textOf(objectOf(piece, 'function'), 'name') ?? '') !== '';
}

function grown(call: CallParts, piece: JsonObject, json: string): CallParts {
  return {
    index: call.index,
    id: call.id || (textOf(piece, 'id') ?? ''),
    name: call.name || (textOf(objectOf(piece, 'function'), 'name') ?? ''),
    json: call.json + json,
    extra: piece.extra_content ?? call.extra,
  };
}

/** A few servers give the arguments as an object at once. */
function argumentsOf(fn: JsonObject | undefined): string {
  const value = fn?.arguments;
  if (isObject(value)) return JSON.stringify(value);
  return typeof value === 'string' ? value : '';
}
