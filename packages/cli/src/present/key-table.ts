/** Shows where the key of each provider comes from. No key is ever known here. */
import type { ResultOf } from '@zerd/protocol/common/methods';
import { sanitiseLine } from '@zerd/protocol/common/sanitise';
import { table } from './table.ts';

export type ProviderKey = ResultOf<'auth/status'>['providers'][number];

/** Its user has no key there but an account. */
export function signsIn({ source, variable }: ProviderKey): boolean {
  return source === 'signIn' || (source === 'missing' && variable === undefined);
}

export function keyTable(providers: readonly ProviderKey[]): string {
  return table(
    ['PROVIDER', 'KEY'],
    providers.map((one) => [sanitiseLine(one.provider), sourceOf(one)]),
  );
}

export function sourceOf(one: ProviderKey): string {
  const { provider, source, variable = '', email, plan } = one;
  switch (source) {
    case 'environment':
      return `from ${sanitiseLine(variable)}`;
    case 'config':
      return 'from your configuration';
    case 'keychain':
      return 'from the keychain';
    case 'file':
      return 'from the file of zerd login';
    case 'signIn':
      return `signed in${[email, plan].flatMap((word) => (word === undefined ? [] : [` ${sanitiseLine(word)}`])).join(',')}`;
    case 'missing':
      return `missing: ${signsIn(one) ? '' : `set ${sanitiseLine(variable)} or `}zerd login ${sanitiseLine(provider)}`;
    case 'none':
      return 'needs none';
  }
}
