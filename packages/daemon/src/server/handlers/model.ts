/** Models: which there are, and which one answers. */
import { envOf } from '../caller.ts';
import type { Handlers } from '../dispatch.ts';
import type { House } from '../house.ts';
import { knownSession } from './session.ts';

export function modelHandlers({ config, runner, store }: House): Pick<Handlers, 'model/list' | 'model/select'> {
  return {
    async 'model/list'(_params, caller) {
      const { models, model } = await config.read(envOf(caller));
      return { models, default: model };
    },
    async 'model/select'({ sessionId, model }, caller) {
      knownSession(store, sessionId);
      return { model: await runner.selectModel({ env: envOf(caller), sessionId, model }) };
    },
  };
}
