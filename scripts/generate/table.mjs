/**
 * Reads the built method table into plain data: every method with the JSON Schema of its parameters and result, and the
 * named schemas that they share. Invariant: the same table gives the same data, in the same order.
 */
import { z } from 'zod';
import * as events from '../../protocol/dist/common/event.js';
import * as ids from '../../protocol/dist/common/ids.js';
import * as context from '../../protocol/dist/common/methods/context.js';
import * as models from '../../protocol/dist/common/methods/model.js';
import * as sessions from '../../protocol/dist/common/methods/session-shapes.js';
import * as table from '../../protocol/dist/common/methods.js';

export function readTable() {
  nameSchemas({ ...ids, ...events, ...sessions, ...models, ...context });
  const shared = {};
  const methods = Object.fromEntries(Object.entries(table.methods).map(([name, row]) => [name, describe(row, shared)]));
  return { methods, $defs: sorted(shared) };
}

/** `sessionEventSchema` becomes `SessionEvent`. */
export function pascal(name) {
  return name.replace(/(?:^|\/)(\w)/g, (_, letter) => letter.toUpperCase());
}

/** Exported schemas are told by their name wherever they occur. */
function nameSchemas(exports) {
  for (const [name, value] of Object.entries(exports)) {
    if (!name.endsWith('Schema')) continue;
    z.globalRegistry.add(value, { ...z.globalRegistry.get(value), id: pascal(name.slice(0, -'Schema'.length)) });
  }
}

function describe({ direction, scope, says, params, result }, shared) {
  const isNotice = direction === 'toClient';
  return {
    direction,
    scope,
    says,
    params: schemaOf(params, shared),
    ...(isNotice ? {} : { result: schemaOf(result, shared) }),
  };
}

/** As it is sent. Results are open: a later version may add fields. */
function schemaOf(schema, shared) {
  const { $schema: _, $defs: found = {}, ...rest } = z.toJSONSchema(schema, { io: 'input' });
  for (const [name, { id: __, ...definition }] of Object.entries(found)) shared[name] = withoutBounds(definition);
  return withoutBounds(rest);
}

/** zod writes the safe-integer bounds into every integer: they tell nothing. */
function withoutBounds(value) {
  if (Array.isArray(value)) return value.map(withoutBounds);
  if (typeof value !== 'object' || value === null) return value;
  const told = Object.entries(value).filter(([, v]) => Math.abs(v) !== Number.MAX_SAFE_INTEGER);
  return Object.fromEntries(told.map(([key, v]) => [key, withoutBounds(v)]));
}

function sorted(object) {
  return Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));
}
