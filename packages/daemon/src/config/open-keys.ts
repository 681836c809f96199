/** Warns of a file of settings that holds what nobody else may know and that others may read. */
import type { NamedEntry } from '@zerd/core/mcp/entries';
import { secretsOf } from '../base/conceal-secrets.ts';
import type { ProviderConfig } from './schema.ts';

export function openKeys(
  file: string,
  mode: number,
  providers: readonly ProviderConfig[],
  servers: readonly NamedEntry[],
): readonly string[] {
  const keeps = providers.some((provider) => provider.apiKey !== undefined) || servers.some(keepsSecret);
  return keeps && (mode & 0o077) !== 0 ? [`${file} holds a key and other users may read it: chmod 600 it.`] : [];
}

/** A value that stands there itself: of a header, or of a variable that is named as a secret is. */
function keepsSecret({ entry }: NamedEntry): boolean {
  const own = Object.entries(entry.kind === 'http' ? entry.headers : entry.env).filter(
    ([, value]) => !/\$\{/.test(value),
  );
  return entry.kind === 'http' ? own.length > 0 : secretsOf(Object.fromEntries(own)).length > 0;
}
