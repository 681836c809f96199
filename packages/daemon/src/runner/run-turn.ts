/**
 * The turn: next step, call the model, run tools, append, repeat. Decisions are core's; here they are carried out.
 * Invariant: a turn that began ends with `turn.finished` and with a result for every call, whatever happens; only one that
 * is handed over to the next daemon stays open.
 */

import { isForImages } from '@zerd/core/session/images';
import { type NextStep, nextStep } from '@zerd/core/session/next-step';
import type { OpenCall } from '@zerd/core/session/state';
import { isZerdError, type ZerdError } from '@zerd/protocol/common/errors';
import type { Failure, TurnOutcome } from '@zerd/protocol/common/event';
import { appendEnd } from './append-end.ts';
import { interrupted } from './attempt.ts';
import { callModel } from './call-model.ts';
import { afterOverflow } from './compact/after-overflow.ts';
import { afterImageRefusal } from './images/after-refusal.ts';
import { submitSteers } from './queue/submit-steers.ts';
import { remindOfChanges } from './remind-of-changes.ts';
import { remindOfFolder } from './remind-of-folder.ts';
import { remindOfJobs } from './remind-of-jobs.ts';
import { remindOfMode } from './remind-of-mode.ts';
import { remindOfOutsideTools } from './remind-of-outside-tools.ts';
import { remindOfRules } from './remind-of-rules.ts';
import { runTools } from './run-tools.ts';
import type { TurnContext } from './turn-context.ts';
import { isHandedOver } from './turns/stop-reasons.ts';
import { whenFolder } from './when-folder.ts';

export interface TurnEnd {
  readonly outcome: TurnOutcome;
  readonly failure?: Failure;
}

/** `work`: what the turn does; another than the usual steps is a turn without a message. */
export async function runTurn(turn: TurnContext, work = steps): Promise<TurnEnd> {
  const end = await untilEnd(turn, work).finally(() => turn.fileWatch.close());
  if (!isHandedOver(turn.signal)) await appendEnd(turn, end);
  return end;
}

/** A defect stops at this wall: it is logged with its stack and ends the turn, and the daemon lives on. */
async function untilEnd(turn: TurnContext, work: typeof steps): Promise<TurnEnd> {
  try {
    return await work(turn);
  } catch (defect) {
    if (turn.signal.aborted) return { outcome: 'interrupted', failure: interrupted(turn) };
    if (isZerdError(defect)) return expected(turn, defect);
    turn.log.error('a turn ended by a defect', { error: defect, sessionId: turn.sessionId, turnId: turn.turnId });
    const message = `A defect in zerd ended the turn; all that was committed is kept. ${String(defect)}`;
    return { outcome: 'failed', failure: { code: 'internal_error', message } };
  }
}

/** What is no fault of the house (a full disk) has its own code and says itself what to do. */
function expected(turn: TurnContext, error: ZerdError): TurnEnd {
  turn.log.warn('a turn could not go on', { error, sessionId: turn.sessionId, turnId: turn.turnId });
  return { outcome: 'failed', failure: { code: error.code, message: error.message } };
}

const needsFolder: ReadonlySet<NextStep['kind']> = new Set(['runTools', 'callModel']);

async function steps(turn: TurnContext): Promise<TurnEnd> {
  let refused = 0;
  for (;;) {
    if (needsFolder.has(nextStep(turn.state()).kind)) await whenFolder(turn);
    if (turn.signal.aborted) return { outcome: 'interrupted', failure: interrupted(turn) };
    // What was answered or said while the folder was looked at counts.
    const step = nextStep(turn.state());
    switch (step.kind) {
      case 'finish': {
        const { outcome, failure } = step;
        if (failure === undefined) return { outcome };
        // The answer itself filled the window: what has no room is summed up, and the model goes on.
        const full = failure.code === 'context_overflow';
        const left = full ? await afterOverflow(turn, { failure, inAnswer: true, times: ++refused }) : failure;
        if (left)
          return turn.signal.aborted ? { outcome: 'interrupted', failure: interrupted(turn) } : endedBy(left, outcome);
        break;
      }
      case 'runTools': {
        const asked = await toolsWhileWarm(turn, step.calls);
        if (asked) return { outcome: 'needs-answer', failure: asked };
        break;
      }
      case 'submit':
        await submitSteers(turn);
        break;
      case 'remind':
        await turn.append([step.reminder]);
        break;
      case 'callModel': {
        await turn.takeUpModel();
        await remindOfJobs(turn);
        await remindOfMode(turn);
        await remindOfFolder(turn);
        await remindOfChanges(turn);
        await remindOfRules(turn);
        await remindOfOutsideTools(turn);
        const failure = await callModel(turn);
        refused = failure?.code === 'context_overflow' ? refused + 1 : 0;
        const left = failure && (await afterRefusal(turn, failure, refused));
        if (left && !turn.signal.aborted) return endedBy(left);
        break;
      }
    }
  }
}

/** `refused`: how often in a row the prompt was too long. Undefined: the request can be made again, as another one. */
async function afterRefusal(turn: TurnContext, failure: Failure, refused: number): Promise<Failure | undefined> {
  const forImages = isForImages(turn.state(), failure);
  const left = forImages ? await afterImageRefusal(turn, failure) : failure;
  if (left === undefined || refused === 0) return left;
  return await afterOverflow(turn, { failure, inAnswer: false, times: refused });
}

/** What the user limited is no failure. */
function endedBy(failure: Failure, outcome: TurnOutcome = 'failed'): TurnEnd {
  return { outcome: failure.code === 'limit_reached' ? 'limit' : outcome, failure };
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
