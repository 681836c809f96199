/** Keys and sign-ins: where they come from, and what is kept of them. No answer holds one. */
import { ZerdError } from '@zerd/protocol/common/errors';
import type { LoginState } from '../../base/credential-ports.ts';
import { envOf } from '../caller.ts';
import type { Handlers } from '../dispatch.ts';
import type { House } from '../house.ts';

type AuthMethod = 'auth/status' | 'auth/login' | 'auth/logout';

export function authHandlers({ auth, runner, log }: House): Pick<Handlers, AuthMethod> {
  const { credentials } = auth;

  /** Who waits for a key goes on with it. */
  function tell(provider: string, state: LoginState): LoginState {
    if (state.state === 'done') {
      log.info('a key or a sign-in was kept', { provider, in: state.keptIn });
      runner.offerEnv({});
    }
    return state;
  }

  return {
    'auth/status': (_params, caller) => auth.status(envOf(caller)),
    async 'auth/login'({ provider, key, way = 'browser', loginId, pasted }, caller) {
      const known = auth.status(envOf(caller)).providers.map((one) => one.provider);
      if (!known.includes(provider)) throw unknownProvider(provider, known);
      if (key !== undefined) return tell(provider, { state: 'done', keptIn: await credentials.keepKey(provider, key) });
      if (loginId !== undefined) return tell(provider, await credentials.awaitLogin(loginId, pasted));
      return tell(provider, await credentials.beginLogin(provider, way));
    },
    async 'auth/logout'({ provider }, caller) {
      const removedFrom = [...(await credentials.remove(provider))];
      const left = auth.status(envOf(caller)).providers.find((one) => one.provider === provider);
      return { removedFrom, ...(left === undefined ? {} : { left }) };
    },
  };
}

function unknownProvider(provider: string, known: readonly string[]): ZerdError {
  const name = JSON.stringify(provider.slice(0, 100));
  return new ZerdError('invalid_params', `There is no provider ${name}; nothing was kept. Known: ${known.join(', ')}.`);
}
