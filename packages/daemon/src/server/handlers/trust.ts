/** The user's word on whether this repository may be read and run. */
import { envOf } from '../caller.ts';
import type { Handlers } from '../dispatch.ts';
import type { House } from '../house.ts';

export function trustHandlers({ root, trust, log, runner, mcp }: House): Pick<Handlers, 'trust/read' | 'trust/set'> {
  return {
    'trust/read': () => ({ root, trusted: trust.trusted() }),
    async 'trust/set'({ trusted }, caller) {
      await trust.set(trusted);
      if (trust.trusted()) runner.trusted(envOf(caller));
      // What may no longer run is ended by looking.
      mcp.servers();
      log.info('trust changed', { trusted, client: caller.id });
      return { root, trusted: trust.trusted() };
    },
  };
}
