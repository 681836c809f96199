/** What is said while a turn runs: to that turn, or for a turn of its own. */
import { ZerdError } from '@zerd/protocol/common/errors';
import type { ValidParamsOf } from '@zerd/protocol/common/methods';
import { type Caller, envOf } from '../caller.ts';
import type { Handlers } from '../dispatch.ts';
import { given } from '../given.ts';
import type { House } from '../house.ts';
import { knownSession } from './session.ts';

export function queueHandlers({ store, runner }: House): Pick<Handlers, 'turn/steer' | 'turn/queue'> {
  return {
    'turn/steer'(params, caller) {
      knownSession(store, params.sessionId);
      return runner.steer({ env: envOf(caller), ...given(params) });
    },
    async 'turn/queue'(params, caller) {
      knownSession(store, params.sessionId);
      const wish = readWish(params, caller);
      if (wish.kind === 'run') {
        const turnId = await runner.runQueue(wish.wish);
        return turnId === undefined ? {} : { turnId };
      }
      if (wish.kind === 'change') return await runner.changePrompt(wish.change);
      const { began, ...kept } = await runner.queue(wish.wish);
      if (began !== undefined) return { ...kept, turnId: began };
      const { paused, needs } = runner.queued(params.sessionId);
      return { ...kept, ...(paused && { paused }), ...(needs && { needs }) };
    },
  };
}

function readWish({ promptId, text, run = false, ...rest }: ValidParamsOf<'turn/queue'>, caller: Caller) {
  const wish = { ...given(rest), sessionId: rest.sessionId, env: envOf(caller) };
  if (run && promptId === undefined && text === undefined) return { kind: 'run', wish } as const;
  if (!run && promptId !== undefined && text !== undefined)
    return {
      kind: 'change',
      change: { ...given({ images: rest.images }), sessionId: rest.sessionId, promptId, text },
    } as const;
  if (!run && promptId === undefined && typeof text === 'string')
    return { kind: 'add', wish: { ...wish, text } } as const;
  throw new ZerdError(
    'invalid_params',
    'Nothing was changed. Give `text` to add a prompt, `promptId` with `text` to change one (null takes it back), or `run` alone.',
  );
}
