/** Says for each provider where its key comes from, as `auth/status` answers it. Never the key. */
import type { ResultInputOf } from '@zerd/protocol/common/methods';
import type { Credentials } from '../base/credential-ports.ts';
import type { Config } from './load.ts';
import { keyOf, providerNames } from './models.ts';

type Provider = ResultInputOf<'auth/status'>['providers'][number];

/** `env` is the client's. */
export function viewKeys(
  config: Config,
  env: Readonly<Record<string, string | undefined>>,
  { signedIn }: Pick<Credentials, 'signedIn'>,
): ResultInputOf<'auth/status'> {
  const broken = config.stored?.broken();
  return {
    ...(broken === undefined ? {} : { broken }),
    providers: providerNames(config).map((provider) => ({ provider, ...sourceOf(config, provider, env, signedIn) })),
  };
}

function sourceOf(
  config: Config,
  provider: string,
  env: Readonly<Record<string, string | undefined>>,
  signedIn: Credentials['signedIn'],
): Omit<Provider, 'provider'> {
  const key = keyOf(config, provider, env);
  switch (key.kind) {
    case 'found':
      return { source: key.from, ...(key.variable === undefined ? {} : { variable: key.variable }) };
    case 'signedIn':
      return { source: 'signIn', ...signedIn(provider) };
    case 'missing':
      return { source: 'missing', ...(key.variable === undefined ? {} : { variable: key.variable }) };
    case 'none':
      return { source: 'none' };
  }
}
