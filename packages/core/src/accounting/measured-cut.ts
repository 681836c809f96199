/**
 * Says how many tokens a trim will really take out. Sizes in the planner's view are estimates by class of text; between two
 * requests that were reported the true growth is known, and what they brought is scaled to it.
 */
import type { TrimPlan } from '../context/relieve/plan-relief.ts';
import type { Layout } from '../context/relieve/trimmable.ts';
import type { PlannerView, RequestLoad } from '../context/relieve/view.ts';

/** Beyond these the two are not about the same: a trim in between, another model's count. */
const [least, most] = [0.6, 1.6];

export function measuredCut(view: PlannerView, { parts }: Layout, plan: TrimPlan): number {
  const cut = new Set([...plan.results, ...plan.inputs]);
  const scales = scaleByCall(view);
  return parts.reduce((sum, { kind, id, gain }) => {
    if (kind === 'list') return plan.lists.includes(Number(id)) ? sum + gain : sum;
    return cut.has(id) ? sum + gain * (scales.get(id) ?? 1) : sum;
  }, 0);
}

function scaleByCall({ requests, compactedAt, resetAt }: PlannerView): ReadonlyMap<string, number> {
  const scales = new Map<string, number>();
  requests.forEach((request, i) => {
    const next = requests[i + 1];
    if (next === undefined || i < compactedAt || i + 1 === resetAt) return;
    const scale = (next.prompt - request.prompt) / broughtBy(request, next);
    if (scale < least || scale > most) return;
    for (const { callId } of request.calls) scales.set(callId, scale);
  });
  return scales;
}

/** What stands between the ends of the two prompts. */
function broughtBy({ answer, calls }: RequestLoad, next: RequestLoad): number {
  return calls.reduce((sum, call) => sum + call.input + call.result, answer + next.before);
}
