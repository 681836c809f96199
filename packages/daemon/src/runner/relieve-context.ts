/**
 * Does: before a request, asks the planner and carries out what it decides, as events of the log. Invariant: what is cut
 * can be had again: results are archived already, arguments are archived before the trim is logged.
 */
import { clearableInput } from '@zerd/core/context/cleared';
import { mayCompact } from '@zerd/core/context/compact/allowed';
import { measuredEvent } from '@zerd/core/context/relieve/measure-trim';
import { planRelief, type TrimPlan } from '@zerd/core/context/relieve/plan-relief';
import { plannerModel, type RelievedModel } from '@zerd/core/context/relieve/planner-model';
import { type SessionView, viewSession } from '@zerd/core/context/relieve/session-view';
import { trimEvent } from '@zerd/core/context/relieve/trim-event';
import { carryOverTrim } from '@zerd/core/rules/carry';
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { ArchiveId, RequestId } from '@zerd/protocol/common/ids';
import type { Usage } from '@zerd/protocol/common/usage';
import { compactContext } from './compact/compact-context.ts';
import { remindOfOutsideTools } from './remind-of-outside-tools.ts';
import type { TurnContext } from './turn-context.ts';

export async function relieveContext(turn: TurnContext): Promise<void> {
  const { plan, session, model } = planFor(turn, mayCompact(turn.state().compactions));
  if (plan.kind === 'trim') return trim(turn, plan, session, model);
  if (plan.kind !== 'compact') return;
  const failure = await compactContext(turn, { reason: plan.reason, overflow: false });
  if (turn.signal.aborted) return;
  // What was told of outside tools may have gone with the summary, and the request that follows is the next one.
  if (failure === undefined) return remindOfOutsideTools(turn);
  turn.log.warn('a conversation could not be summed up', { why: failure.code, sessionId: turn.sessionId });
  const without = planFor(turn, false);
  if (without.plan.kind === 'trim') await trim(turn, without.plan, without.session, model);
}

function planFor(turn: TurnContext, compacts: boolean) {
  const model = relievedModel(turn);
  const { window } = turn;
  const session = viewSession(turn.state(), { model, now: turn.clock.wall(), window, compacts });
  return { model, session, plan: planRelief(session.view, turn.relief) };
}

async function trim(turn: TurnContext, plan: TrimPlan, session: SessionView, model: RelievedModel): Promise<void> {
  const archived = await archiveInputs(turn, plan, session);
  const { turnId } = turn;
  const event = trimEvent({ plan, parts: session.parts, turnId, archived, endsReasoning: model.bindsReasoning });
  if (event !== undefined) await turn.append([carryOverTrim(turn.state(), event)]);
}

/** What a trim came to; empty unless this is the first answer behind one. */
export function measureRelief(turn: TurnContext, requestId: RequestId, usage: Usage): readonly SessionEvent[] {
  const event = measuredEvent(turn.state(), { turnId: turn.turnId, requestId, usage }, relievedModel(turn));
  return event === undefined ? [] : [event];
}

function relievedModel({ model }: TurnContext): RelievedModel {
  return plannerModel(model);
}

async function archiveInputs(
  turn: TurnContext,
  plan: TrimPlan,
  { parts }: SessionView,
): Promise<ReadonlyMap<string, ArchiveId>> {
  const wanted = new Set(plan.inputs);
  const blocks = parts.flatMap((part) => part.calls.map(({ block }) => block));
  const archived = new Map<string, ArchiveId>();
  for (const { callId, name, inputJson } of blocks) {
    const text = wanted.has(callId) ? clearableInput(name, inputJson) : undefined;
    if (text !== undefined) archived.set(callId, await turn.archive.put(text));
  }
  return archived;
}
