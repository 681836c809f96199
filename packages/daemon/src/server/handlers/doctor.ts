/** Looks whether the rooms are in order. Invariant: one check that fails or hangs keeps no other from being told. */
import { types } from 'node:util';
import type { Check } from '@zerd/protocol/common/search';
import { envOf } from '../caller.ts';
import type { Handlers } from '../dispatch.ts';
import type { DoctorCheck, House } from '../house.ts';
import { checkModel } from './check-model.ts';
import { checkSettings } from './check-settings.ts';

const checkMs = 10_000;

export function doctorHandlers({ checks, config, clock, log }: House): Pick<Handlers, 'daemon/doctor'> {
  async function run({ name, run }: DoctorCheck): Promise<Check> {
    let timer: Disposable | undefined;
    const overdue = new Promise<Check>((resolve) => {
      const says = `Gave no answer within ${checkMs / 1_000} s.`;
      timer = clock.setTimer(checkMs, () => resolve({ name, ok: false, says, todo: 'See the daemon log.' }));
    });
    try {
      return await Promise.race([run().then((found) => ({ name, ...found })), overdue]);
    } catch (error) {
      log.error('a check failed by a defect', { check: name, error });
      const says = `The check itself failed: ${types.isNativeError(error) ? error.message : String(error)}`;
      return { name, ok: false, says, todo: 'See the daemon log.' };
    } finally {
      timer?.[Symbol.dispose]();
    }
  }

  return {
    async 'daemon/doctor'(_params, caller) {
      const settings = { name: 'settings', run: async () => checkSettings(config.warnings(envOf(caller))) };
      const model = { name: 'model', run: async () => checkModel(await config.read(envOf(caller))) };
      return { checks: await Promise.all([settings, model, ...checks].map(run)) };
    },
  };
}
