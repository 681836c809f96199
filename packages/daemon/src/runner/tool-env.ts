/**
 * Decides what of the client's environment a tool may see. Invariant: no provider key, no secret of zerd and no control
 * path of it reaches a tool, whatever a configuration names.
 */
import { isSecretName } from '../base/secret-names.ts';
import type { ClientEnv } from './runner.ts';

export function toolEnv(env: ClientEnv, keyNames: readonly string[]): Readonly<Record<string, string>> {
  const named = new Set(keyNames);
  const kept = Object.entries(env).filter(([name]) => !named.has(name) && !hidden(name));
  return Object.freeze(Object.fromEntries(kept));
}

function hidden(name: string): boolean {
  return isSecretName(name) || name === 'NODE_OPTIONS';
}
