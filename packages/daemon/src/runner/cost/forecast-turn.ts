/** Does: foresees what the next message of a session costs, with the settings and at the moment of asking. Sends nothing. */
import { knownFixed } from '@zerd/core/accounting/fixed-part';
import { type ForecastMoment, forecast } from '@zerd/core/accounting/forecast';
import { mayCompact } from '@zerd/core/context/compact/allowed';
import { plannerModel } from '@zerd/core/context/relieve/planner-model';
import { applyEvent, foldSession } from '@zerd/core/session/fold';
import type { SessionState } from '@zerd/core/session/state';
import { ZerdError } from '@zerd/protocol/common/errors';
import type { SessionId } from '@zerd/protocol/common/ids';
import type { ResultInputOf } from '@zerd/protocol/common/methods';
import type { Clock } from '@zerd/protocol/node/clock';
import type { Store } from '../../base/ports.ts';
import type { Config } from '../../config/load.ts';
import { describeKnown, type ResolvedModel } from '../../config/models.ts';
import type { Runner } from '../runner.ts';
import { windowOf } from '../window.ts';

export interface ForecastParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly readConfig: () => Config;
  /** Completes a model with what its server said. */
  readonly known: (model: ResolvedModel) => ResolvedModel;
}

/** Throws unknown_model when the settings no longer name the session's model. */
export function forecastTurn(
  { store, clock, readConfig, known }: ForecastParts,
  before: SessionState,
  { sessionId, text, env, model: wished = before.chosenModel ?? before.model }: Parameters<Runner['forecast']>[0],
): ResultInputOf<'cost/forecast'> {
  const config = readConfig();
  const described = describeKnown(config, wished);
  if (described === undefined)
    throw new ZerdError('unknown_model', `Nothing is known of ${wished}; nothing was sent. Choose another model.`);
  const model = known(described);
  const state = model.ref === before.model ? before : switched(before, model.ref);
  const facts = plannerModel(model);
  const now = clock.wall();
  const fixed = fixedPart(store, sessionId, state, now - facts.cacheMs);
  const { why, ways, ...seen } = forecast(state, text, {
    model: facts,
    price: model.price,
    now,
    ...(fixed === undefined ? {} : { fixed }),
    window: windowOf(config, env),
    rule: config.relief,
    compacts: mayCompact(state.compactions),
    marks: model.wire === 'anthropic',
  });
  const warn = seen.costPico !== null && seen.costPico > config.warnAbovePico;
  return { ...seen, ways: [...ways], warn, ...(why === undefined ? {} : { why }) };
}

function switched(before: SessionState, model: string): SessionState {
  return applyEvent(before, { seq: before.lastSeq + 1, at: before.lastAt, event: { kind: 'model.changed', model } });
}

/** How this session, or another one with the same system text and tools, last asked this model; not before `since`. */
function fixedPart(store: Store, sessionId: SessionId, state: SessionState, since: number): ForecastMoment['fixed'] {
  const own = state.fixedUses.get(state.model)?.usedAt;
  const others = store
    .sessions()
    .filter((row) => row.sessionId !== sessionId && row.model === state.model && row.requests > 0)
    .filter((row) => row.updatedAt >= since && isSameFixed(store, row.sessionId, state));
  const times = [...(own === undefined ? [] : [own]), ...others.map((row) => row.updatedAt)];
  if (times.length === 0) return undefined;
  const elsewhere = () => {
    const [other] = others;
    const first = other === undefined ? [] : store.read(other.sessionId, 0, firstEvents);
    return knownFixed(foldSession(first).fixedUses, state.model);
  };
  return { usedAt: Math.max(...times), tokens: knownFixed(state.fixedUses, state.model) ?? elsewhere() };
}

/** A first request stands at the beginning of a log. */
const firstEvents = 40;

function isSameFixed(store: Store, sessionId: SessionId, { created }: SessionState): boolean {
  const [first] = store.read(sessionId, 0, 1);
  if (first?.event.kind !== 'session.created') return false;
  return first.event.system === created.system && first.event.tools === created.tools;
}
