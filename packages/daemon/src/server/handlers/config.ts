/** The settings in force, without secrets, and the skills, as this client's environment completes them. */
import { envOf } from '../caller.ts';
import type { Handlers } from '../dispatch.ts';
import type { House } from '../house.ts';

export function configHandlers({ config }: House): Pick<Handlers, 'config/read' | 'skill/list'> {
  return {
    'config/read': (_, caller) => config.read(envOf(caller)),
    'skill/list': (_, caller) => config.skills(envOf(caller)),
  };
}
