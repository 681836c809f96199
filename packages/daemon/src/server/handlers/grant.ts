/** What the user allows in this repository for good. */
import { clientName } from '../caller.ts';
import type { Handlers } from '../dispatch.ts';
import type { House } from '../house.ts';

export function grantHandlers({
  grants,
  runner,
  log,
}: House): Pick<Handlers, 'grant/list' | 'grant/add' | 'grant/remove'> {
  return {
    'grant/list': () => grants.list(),
    async 'grant/add'({ rule }, caller) {
      await grants.add([rule]);
      log.info('a command was allowed for good', { rule, client: caller.id });
      await runner.allowedMore(clientName(caller).by);
      return grants.list();
    },
    async 'grant/remove'({ rule }, caller) {
      await grants.remove(rule);
      log.info('a command is no longer allowed', { rule, client: caller.id });
      return grants.list();
    },
  };
}
