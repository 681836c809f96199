/** What the user allows in this repository for good. */
import type { Handlers } from '../dispatch.ts';
import type { House } from '../house.ts';

export function grantHandlers({ grants, log }: House): Pick<Handlers, 'grant/list' | 'grant/add' | 'grant/remove'> {
  return {
    'grant/list': () => grants.list(),
    async 'grant/add'({ rule }, caller) {
      await grants.add([rule]);
      log.info('a command was allowed for good', { rule, client: caller.id });
      return grants.list();
    },
    async 'grant/remove'({ rule }, caller) {
      await grants.remove(rule);
      log.info('a command is no longer allowed', { rule, client: caller.id });
      return grants.list();
    },
  };
}
