/**
 * Words an entry for people: the whole command or address, and what goes with it by name. Invariants: no value of `env` or
 * of a header that may be a secret is in it; what steers how a program runs is, since that is part of what runs; it stays
 * on its line and hides nothing (S-63).
 */
import { sanitiseLine } from '@zerd/protocol/common/sanitise';
import type { McpEntry } from './server.ts';
import { isSteeringName } from './steering-names.ts';

export function entryText(entry: McpEntry): string {
  if (entry.kind === 'http') return `${sanitiseLine(entry.url)}${besides('headers', entry.headers)}`;
  const words = [entry.command, ...entry.args].map(quoted).join(' ');
  return `${sanitiseLine(words)}${besides('env', entry.env)}`;
}

function quoted(word: string): string {
  return /^[\w@%+=:,./${}-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

function besides(what: string, values: Readonly<Record<string, string>>): string {
  const each = Object.entries(values).map(([name, value]) => sanitiseLine(`${name}=${shown(name, value)}`));
  return each.length === 0 ? '' : ` (${what}: ${each.join(', ')})`;
}

function shown(name: string, value: string): string {
  return /^\$\{\w+\}$/.test(value) || isSteeringName(name) ? quoted(value) : '…';
}
