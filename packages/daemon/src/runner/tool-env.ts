/**
 * Decides what of the client's environment a tool may see. Invariant: no provider key, no secret of zerd and no control
 * path of it reaches a tool, whatever a configuration names.
 */
import { isSecretName } from '../base/secret-names.ts';
import type { Config } from '../config/load.ts';
import { providerKeyNames } from '../config/models.ts';
import type { ClientEnv } from './runner.ts';

/** The daemon's own, for turns that go on without a client: not even their requests get a key from it. */
export function ownEnv(env: Readonly<Record<string, string | undefined>>, config: Config): ClientEnv {
  const set = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return toolEnv(Object.fromEntries(set), providerKeyNames(config));
}

export function toolEnv(env: ClientEnv, keyNames: readonly string[]): Readonly<Record<string, string>> {
  const named = new Set(keyNames);
  const kept = Object.entries(env).filter(([name]) => !named.has(name) && !hidden(name));
  return Object.freeze(Object.fromEntries(kept));
}

function hidden(name: string): boolean {
  return isSecretName(name) || name === 'NODE_OPTIONS';
}
