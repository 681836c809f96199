/**
 * The turn: next step, call the model, run tools, append, repeat. Decisions are core's; here they are carried out.
 * Invariant: a turn that began ends with `turn.finished` and with a result for every call, whatever happens.
 */

import { unknownResult } from '@zerd/core/context/render';
import { nextStep } from '@zerd/core/session/next-step';
import type { OpenCall } from '@zerd/core/session/state';
import type { Failure, SessionEvent, TurnOutcome } from '@zerd/protocol/common/event';
import { interrupted } from './attempt.ts';
import { callModel } from './call-model.ts';
import { afterOverflow } from './compact/after-overflow.ts';
import { remindOfChanges } from './remind-of-changes.ts';
import { runTools } from './run-tools.ts';
import type { TurnContext } from './turn-context.ts';

export interface TurnEnd {
  readonly outcome: TurnOutcome;
  readonly failure?: Failure;
}

/** `work`: what the turn does; another than the usual steps is a turn without a message. */
export async function runTurn(turn: TurnContext, work = steps): Promise<TurnEnd> {
  const end = await untilEnd(turn, work).finally(() => turn.fileWatch.close());
  await turn.append([...closeCalls(turn.state().openCalls), { kind: 'turn.finished', turnId: turn.turnId, ...end }]);
  return end;
}

/** A defect stops at this wall: it is logged with its stack and ends the turn, and the daemon lives on. */
async function untilEnd(turn: TurnContext, work: typeof steps): Promise<TurnEnd> {
  try {
    return await work(turn);
  } catch (defect) {
    if (turn.signal.aborted) return { outcome: 'interrupted', failure: interrupted(turn) };
    turn.log.error('a turn ended by a defect', { error: defect, sessionId: turn.sessionId, turnId: turn.turnId });
    const message = `A defect in zerd ended the turn; all that was committed is kept. ${String(defect)}`;
    return { outcome: 'failed', failure: { code: 'internal_error', message } };
  }
}

async function steps(turn: TurnContext): Promise<TurnEnd> {
  let refused = 0;
  for (;;) {
    if (turn.signal.aborted) return { outcome: 'interrupted', failure: interrupted(turn) };
    const step = nextStep(turn.state());
    switch (step.kind) {
      case 'finish':
        return step.failure ? { outcome: step.outcome, failure: step.failure } : { outcome: step.outcome };
      case 'runTools': {
        const asked = await toolsWhileWarm(turn, step.calls);
        if (asked) return { outcome: 'needs-answer', failure: asked };
        break;
      }
      case 'remind':
        await turn.append([step.reminder]);
        break;
      case 'callModel': {
        await remindOfChanges(turn);
        const failure = await callModel(turn);
        refused = failure?.code === 'context_overflow' ? refused + 1 : 0;
        const left = failure && refused > 0 ? await afterOverflow(turn, failure, refused) : failure;
        if (left && !turn.signal.aborted) return { outcome: 'failed', failure: left };
        break;
      }
    }
  }
}

/** A command may run longer than the provider keeps the prompt. */
async function toolsWhileWarm(turn: TurnContext, calls: readonly OpenCall[]): Promise<Failure | undefined> {
  turn.keepWarm.begin(turn);
  try {
    return await runTools(turn, calls);
  } finally {
    await turn.keepWarm.end(turn.sessionId);
  }
}

/** Results for calls that a turn leaves behind: whether they had begun is known from the log (I9). */
export function closeCalls(calls: readonly OpenCall[]): readonly SessionEvent[] {
  return calls.map((call) => {
    const begun = call.startedAt !== undefined;
    const shown = begun ? unknownResult : 'Interrupted before it ran: it had no effect.';
    return {
      kind: 'toolCall.finished',
      turnId: call.turnId,
      callId: call.callId,
      outcome: begun ? 'unknown' : 'interrupted',
      shown,
      bytes: Buffer.byteLength(shown),
      durationMs: 0,
    };
  });
}
