/** Says what the newest trim really came to, once the request behind it is answered. */
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { RequestId, TurnId } from '@zerd/protocol/common/ids';
import type { Usage } from '@zerd/protocol/common/usage';
import type { SessionState } from '../../session/state.ts';
import { promptOf } from './prompt-tokens.ts';
import type { PlannerModel } from './view.ts';

export interface Answered {
  readonly turnId: TurnId;
  readonly requestId: RequestId;
  readonly usage: Usage;
}

/** Undefined: no trim waits for its measure, or the provider reports nothing. */
export function measuredEvent(
  { trims }: SessionState,
  { turnId, requestId, usage }: Answered,
  model: PlannerModel,
): SessionEvent | undefined {
  const { newest } = trims;
  if (newest === undefined || newest.measured || !usage.reported) return undefined;
  const prompt = promptOf(usage);
  const cost = model.read * usage.cacheRead + model.write * (prompt - usage.cacheRead);
  const saved = Math.round(newest.predicted.costKept - cost);
  return { kind: 'context.measured', turnId, requestId, prompt, read: usage.cacheRead, saved };
}
