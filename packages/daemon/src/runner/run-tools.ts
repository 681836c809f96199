/**
 * Does: answers the open calls of one answer. Intent before effect (I9): a call is in the log before it runs, and its
 * admitted result follows. Calls that only read run side by side, and so do sub-agents; the others one by one, in order.
 */
import { refusePointer } from '@zerd/core/context/repeat/guard';
import type { OpenCall } from '@zerd/core/session/state';
import { batches } from '@zerd/core/tools/batches';
import { companyOf } from '@zerd/core/tools/company';
import type { ToolInput } from '@zerd/core/tools/declarations';
import { type PreparedCall, prepareCall } from '@zerd/core/tools/prepare-call';
import type { Failure, ToolOutcome } from '@zerd/protocol/common/event';
import { reachesFarther } from '../permissions/reaches-farther.ts';
import { askForApproval } from './approvals/ask-for-approval.ts';
import { type CallToRun, executeCall } from './execute-call.ts';
import { askForModel } from './questions/ask-for-model.ts';
import { resultWithoutRun } from './result-without-run.ts';
import type { TurnContext } from './turn-context.ts';

/** Undefined: every call has its result. Otherwise what could not be asked, because nobody can answer. */
export async function runTools(turn: TurnContext, calls: readonly OpenCall[]): Promise<Failure | undefined> {
  const groups = batches(calls, companyOf);
  let unanswerable: Failure | undefined;
  for (const group of groups) {
    if (turn.signal.aborted) return undefined;
    const outcomes = await Promise.all(inOrder(turn, group, unanswerable !== undefined));
    unanswerable ??= outcomes.find((outcome) => outcome !== undefined);
  }
  return unanswerable;
}

/** All run at once; the result of each is admitted when that of the one before it stands. */
function inOrder(turn: TurnContext, group: readonly OpenCall[], afterRefusal: boolean): Promise<Failure | undefined>[] {
  let before: Promise<unknown> = Promise.resolve();
  return group.map((call) => {
    const running = runCall(turn, call, afterRefusal, before);
    // Its failure is its own.
    before = running.catch(() => undefined);
    return running;
  });
}

async function runCall(
  turn: TurnContext,
  call: OpenCall,
  afterRefusal: boolean,
  before: Promise<unknown>,
): Promise<Failure | undefined> {
  const { mode, created } = turn.state();
  const prepared = await permitted(turn, prepareCall(call, { mode, declared: created.tools, grants: turn.grants }));
  if (prepared.kind === 'refuse') return answerWith(turn, call, prepared.outcome, prepared.text);
  const pointer = refusePointer(prepared.name, prepared.input, turn.state);
  if (pointer !== undefined) return answerWith(turn, call, 'failed', pointer);
  if (afterRefusal)
    return answerWith(turn, call, 'denied', 'Not run: an earlier call of this answer needs permission.');
  const { name, input } = prepared;
  if (name === 'question') return askForModel(turn, call, input as ToolInput<'question'>);
  // What was asked is settled first, also where the mode allows it by now.
  if (prepared.kind === 'ask' || call.approval !== undefined) {
    const always = prepared.kind === 'ask' ? prepared.always : undefined;
    const asked = await askForApproval(turn, call, { name, input, ...(always && { always }) });
    if (asked.kind === 'nobody') return asked.failure;
    if (asked.kind === 'denied') return answerWith(turn, call, 'denied', asked.text);
  }
  const looks = prepared.kind === 'run' && prepared.only?.looks === true && call.approval === undefined;
  await executeCall(turn, call, { name, input, looks } satisfies CallToRun, before);
  return undefined;
}

/** What may run as long as it reaches no farther than it should is asked, or denied, where it does. */
async function permitted(turn: TurnContext, prepared: PreparedCall): Promise<PreparedCall> {
  const only = prepared.kind === 'run' ? prepared.only : undefined;
  const farther = only && (await reachesFarther(turn.root, only.reach));
  if (prepared.kind !== 'run' || only === undefined || farther === undefined) return prepared;
  const { name, input } = prepared;
  if (only.or === 'ask') return { kind: 'ask', name, input };
  return { kind: 'refuse', outcome: 'denied', text: `Not run: this session is read-only, and ${farther}.` };
}

async function answerWith(turn: TurnContext, call: OpenCall, outcome: ToolOutcome, shown: string): Promise<undefined> {
  await turn.append([resultWithoutRun(call, outcome, shown)]);
}
