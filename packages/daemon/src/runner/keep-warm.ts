/**
 * Does: while a session waits for its user or for a tool, sends its last request again, with next to no answer, as often
 * as the plan says; off unless the user turned it on. Invariants: what a session does next waits until nothing of it is in
 * flight; each such request is in the log with its usage; a failed one ends it.
 */
import { formatUsd } from '@zerd/core/accounting/format-usd';
import { expectedRead } from '@zerd/core/context/relieve/expected-read';
import { plannerModel } from '@zerd/core/context/relieve/planner-model';
import { pausesOf } from '@zerd/core/context/warm/chance-of-return';
import { planWarming, type WarmPlan } from '@zerd/core/context/warm/plan-warming';
import type { SessionId } from '@zerd/protocol/common/ids';
import type { Store } from '../base/ports.ts';
import type { Config } from '../config/load.ts';
import { dividesBySession } from './cache-key.ts';
import { sendWarming } from './send-warming.ts';
import type { KeepWarm, TurnContext } from './turn-context.ts';

interface Idle {
  readonly abort: AbortController;
  readonly ended: Promise<void>;
}

export interface KeepWarmParts {
  readonly store: Store;
  readonly readConfig: () => Config;
}

export function createKeepWarm({ store, readConfig }: KeepWarmParts): KeepWarm {
  const idles = new Map<SessionId, Idle>();
  let closed = false;

  async function end(sessionId: SessionId): Promise<void> {
    const idle = idles.get(sessionId);
    idle?.abort.abort('the session goes on');
    await idle?.ended;
  }

  return {
    begin(turn) {
      const { sessionId, log } = turn;
      if (closed || idles.has(sessionId) || !readConfig().keepWarm || dividesBySession(turn.model.endpoint)) return;
      const abort = new AbortController();
      const ended = keep(turn, store, abort.signal)
        .catch((defect: unknown) => log.error('keeping a prompt warm ended by a defect', { error: defect, sessionId }))
        .finally(() => idles.delete(sessionId));
      idles.set(sessionId, { abort, ended });
    },
    end,
    async close() {
      closed = true;
      await Promise.all([...idles.keys()].map(end));
    },
  };
}

async function keep(turn: TurnContext, store: Store, signal: AbortSignal): Promise<void> {
  const { clock } = turn;
  const begun = clock.now();
  const unused = unusedBy(clock);
  for (let sent = 0; !signal.aborted; ) {
    const plan = planNow(turn, store, { sent, idleMs: clock.now() - begun, unused });
    if (plan.kind === 'stop') return;
    if (plan.afterMs > 0) {
      if (!(await waitFor(turn, plan, signal))) return;
    } else {
      if (!(await sendWarming(turn, store, signal))) return;
      sent += 1;
    }
  }
}

/** How long ago a request was sent: from then on by the clock that only grows, so that a change of the time of day counts for nothing (F-15). */
function unusedBy(clock: TurnContext['clock']): (startedAt: number) => number {
  let known: { readonly startedAt: number; readonly since: number } | undefined;
  return (startedAt) => {
    if (known?.startedAt !== startedAt)
      known = { startedAt, since: clock.now() - Math.max(0, clock.wall() - startedAt) };
    return clock.now() - known.since;
  };
}

interface Waited {
  readonly sent: number;
  readonly idleMs: number;
  readonly unused: (startedAt: number) => number;
}

function planNow(turn: TurnContext, store: Store, { sent, idleMs, unused }: Waited): WarmPlan {
  const { sessionId, model } = turn;
  const state = turn.state();
  const facts = plannerModel(model);
  const startedAt = state.lastRequest?.startedAt ?? 0;
  const unusedMs = unused(startedAt);
  const forTool = state.turn !== undefined && state.pendingApprovals.length + state.pendingQuestions.length === 0;
  return planWarming({
    // Another model holds nothing of it.
    held: state.chosenModel === undefined ? expectedRead(state, facts, startedAt + unusedMs) : 0,
    price: model.price,
    cacheMs: facts.cacheMs,
    unusedMs,
    sent,
    wait: forTool ? { for: 'tool' } : { for: 'user', idleMs, earlier: pausesOf(store.read(sessionId)) },
  });
}

/** False: the session goes on. */
async function waitFor(
  { clock, waits, sessionId, model }: TurnContext,
  { afterMs, costPico, savesPico, chance }: Extract<WarmPlan, { kind: 'warm' }>,
  signal: AbortSignal,
): Promise<boolean> {
  const pays = `${formatUsd(costPico)} now, ${formatUsd(savesPico)} less if it goes on (${Math.round(100 * chance)} %)`;
  const shown = waits.begin(
    `the time to keep the prompt warm at ${model.ref}: ${pays}`,
    sessionId,
    clock.now() + afterMs,
  );
  try {
    await clock.sleep(afterMs, signal);
    return true;
  } catch {
    // Cancelled: whoever did that goes on by itself.
    return false;
  } finally {
    shown[Symbol.dispose]();
  }
}
