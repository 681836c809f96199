/**
 * Fills `${NAME}` and `${NAME:-default}` of an entry in from an environment. Invariants: the command itself is never made
 * of a variable; a repository's entry is given no provider's key and nothing of zerd; what was filled in is told, so that it
 * is kept out of everything that is shown or logged.
 */
import type { McpEntry } from './server.ts';

export type FilledEntry =
  | { readonly kind: 'filled'; readonly entry: McpEntry; readonly secrets: readonly string[] }
  | { readonly kind: 'missing'; readonly names: readonly string[] };

const place = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

/** `lookUp` answers undefined for what is not set, or may not be had. An empty value counts as not set, as in a shell. */
export function fillIn(entry: McpEntry, lookUp: (name: string) => string | undefined): FilledEntry {
  const missing = new Set<string>();
  const secrets = new Set<string>();
  const fill = (text: string) =>
    text.replace(place, (_whole, name: string, usual: string | undefined) => {
      const value = lookUp(name) || usual;
      if (value === undefined) missing.add(name);
      else if (value !== usual) secrets.add(value);
      return value ?? '';
    });
  const fillAll = (texts: Readonly<Record<string, string>>) => {
    const filled = Object.entries(texts).map(([name, text]) => [name, fill(text)] as const);
    for (const [, value] of filled) secrets.add(value);
    return Object.fromEntries(filled);
  };
  const filled: McpEntry =
    entry.kind === 'stdio'
      ? { ...entry, args: entry.args.map(fill), env: fillAll(entry.env) }
      : { ...entry, url: fill(entry.url), headers: fillAll(entry.headers) };
  if (missing.size > 0) return { kind: 'missing', names: [...missing] };
  return { kind: 'filled', entry: filled, secrets: [...secrets].filter((value) => value !== '') };
}

/** As far as it is the same for everybody: with the defaults, and nothing in place of what has none. */
export function fillWithDefaults(entry: McpEntry): McpEntry {
  const fill = (text: string) => text.replace(place, (_whole, _name, usual: string | undefined) => usual ?? '');
  if (entry.kind === 'http') return { ...entry, url: fill(entry.url) };
  const env = Object.fromEntries(Object.entries(entry.env).map(([name, text]) => [name, fill(text)]));
  return { ...entry, args: entry.args.map(fill), env };
}
