/**
 * Counts how many schemas a check of a value may come to, references followed: of choices within choices that is a power,
 * and thirty lines of a hostile server would keep the daemon busy for ever. Pure; looks at each definition once.
 */
import type { JsonObject, JsonValue } from '@zerd/protocol/common/json';

const choices: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'allOf']);

/** Infinity: it comes back to itself through a choice. */
export function schemaEffort(schema: JsonObject): number {
  const known = new Map<string, number>();
  const open = new Set<string>();

  function referred(ref: string, inChoice: boolean): number {
    if (open.has(ref)) return inChoice ? Number.POSITIVE_INFINITY : 0;
    const key = `${inChoice} ${ref}`;
    const found = known.get(key);
    if (found !== undefined) return found;
    open.add(ref);
    const effort = effortOf(targetOf(schema, ref), inChoice);
    open.delete(ref);
    known.set(key, effort);
    return effort;
  }

  function effortOf(value: JsonValue | undefined, inChoice: boolean): number {
    if (Array.isArray(value)) return value.reduce<number>((sum, each) => sum + effortOf(each, inChoice), 0);
    if (!isObject(value)) return 0;
    return Object.entries(value).reduce((sum, [key, each]) => {
      if (key === '$ref' && typeof each === 'string') return sum + referred(each, inChoice);
      return key === '$defs' || key === 'definitions' ? sum : sum + effortOf(each, inChoice || choices.has(key));
    }, 1);
  }

  open.add('#');
  return effortOf(schema, false);
}

function targetOf(schema: JsonObject, ref: string): JsonValue | undefined {
  const inside = (found: JsonValue | undefined, name: string) => (isObject(found) ? found[name] : undefined);
  return ref.split('/').slice(1).reduce<JsonValue | undefined>(inside, schema);
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
