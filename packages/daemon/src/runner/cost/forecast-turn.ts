/** Does: foresees what the next message of a session costs, with the settings and at the moment of asking. Sends nothing. */
import { forecast } from '@zerd/core/accounting/forecast';
import { mayCompact } from '@zerd/core/context/compact/allowed';
import { plannerModel } from '@zerd/core/context/relieve/planner-model';
import type { SessionState } from '@zerd/core/session/state';
import { ZerdError } from '@zerd/protocol/common/errors';
import type { ResultInputOf } from '@zerd/protocol/common/methods';
import type { Clock } from '@zerd/protocol/node/clock';
import type { Config } from '../../config/load.ts';
import { describeKnown, type ResolvedModel } from '../../config/models.ts';
import type { ClientEnv } from '../runner.ts';
import { windowOf } from '../window.ts';

export interface ForecastParts {
  readonly clock: Clock;
  readonly readConfig: () => Config;
  /** Completes a model with what its server said. */
  readonly known: (model: ResolvedModel) => ResolvedModel;
}

/** Throws unknown_model when the settings no longer name the session's model. */
export function forecastTurn(
  { clock, readConfig, known }: ForecastParts,
  state: SessionState,
  text: string,
  env: ClientEnv,
): ResultInputOf<'cost/forecast'> {
  const config = readConfig();
  const described = describeKnown(config, state.model);
  if (described === undefined)
    throw new ZerdError(
      'unknown_model',
      `Nothing is known of ${state.model} any more; nothing was sent. Choose another model.`,
    );
  const model = known(described);
  const { why, ways, ...seen } = forecast(state, text, {
    model: plannerModel(model),
    price: model.price,
    now: clock.wall(),
    window: windowOf(config, env),
    rule: config.relief,
    compacts: mayCompact(state.compactions),
    marks: model.wire === 'anthropic',
  });
  const warn = seen.costPico !== null && seen.costPico > config.warnAbovePico;
  return { ...seen, ways: [...ways], warn, ...(why === undefined ? {} : { why }) };
}
