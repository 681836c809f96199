/**
 * Does: answers the open calls of one answer. Intent before effect (I9): a call is in the log before it runs, and its
 * admitted result follows. Calls that only read run side by side, and so do sub-agents; the others one by one, in order.
 */
import { createHash } from 'node:crypto';
import { refusePointer } from '@zerd/core/context/repeat/guard';
import { describeCall } from '@zerd/core/permissions/describe-call';
import type { OpenCall } from '@zerd/core/session/state';
import { batches } from '@zerd/core/tools/batches';
import { companyOf } from '@zerd/core/tools/company';
import { type PreparedCall, prepareCall } from '@zerd/core/tools/prepare-call';
import type { Failure, SessionEvent, ToolOutcome } from '@zerd/protocol/common/event';
import { type ApprovalId, approvalIdSchema } from '@zerd/protocol/common/ids';
import type { Verdict } from '../permissions/gate.ts';
import { executeCall } from './execute-call.ts';
import { newId } from './new-id.ts';
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

type Wish = Extract<PreparedCall, { kind: 'ask' | 'run' }>;

async function runCall(
  turn: TurnContext,
  call: OpenCall,
  afterRefusal: boolean,
  before: Promise<unknown>,
): Promise<Failure | undefined> {
  const prepared = prepareCall(call, turn.state().mode);
  if (prepared.kind === 'refuse') return answerWith(turn, call, prepared.outcome, prepared.text);
  const pointer = refusePointer(prepared.name, prepared.input, turn.state);
  if (pointer !== undefined) return answerWith(turn, call, 'failed', pointer);
  if (afterRefusal)
    return answerWith(turn, call, 'denied', 'Not run: an earlier call of this answer needs permission.');
  if (prepared.kind === 'ask') {
    if (turn.state().turn?.headless) return refuseHeadless(turn, call, prepared);
    const verdict = await ask(turn, call, prepared);
    if (verdict.decision === 'denied') return answerWith(turn, call, 'denied', deniedText(verdict));
  }
  await executeCall(turn, call, prepared, before);
  return undefined;
}

async function answerWith(turn: TurnContext, call: OpenCall, outcome: ToolOutcome, shown: string): Promise<undefined> {
  await turn.append([refusal(call, outcome, shown)]);
}

function refusal(call: OpenCall, outcome: ToolOutcome, shown: string): SessionEvent {
  const { turnId, callId } = call;
  return { kind: 'toolCall.finished', turnId, callId, outcome, shown, bytes: Buffer.byteLength(shown), durationMs: 0 };
}

function deniedText(verdict: Verdict): string {
  return verdict.reason ? `Not run: denied by the user (${verdict.reason}).` : 'Not run: denied by the user.';
}

/** One transaction: what would have been asked, that nobody could be asked, and the result. */
async function refuseHeadless(turn: TurnContext, call: OpenCall, wish: Wish): Promise<Failure> {
  const asked = request(turn, call, wish);
  const reason = 'nobody can answer in a headless run';
  await turn.append([
    asked,
    { kind: 'approval.answered', turnId: turn.turnId, approvalId: asked.approvalId, decision: 'denied', reason },
    refusal(call, 'denied', `Not run: it needs the user's permission, and ${reason}.`),
  ]);
  return { code: 'needs_answer', message: asked.asks };
}

/** Waits for the first answer; one that was asked before a restart is waited for again. */
async function ask(turn: TurnContext, call: OpenCall, wish: Wish): Promise<Verdict> {
  const known = call.approval;
  if (known && known.decision !== 'pending')
    return { decision: known.decision, ...(known.reason === undefined ? {} : { reason: known.reason }) };
  const approvalId = known?.approvalId ?? (await askAnew(turn, call, wish));
  const shown = turn.waits.begin(`permission for ${wish.name}`, turn.sessionId);
  try {
    const verdict = await turn.gate.wait(approvalId, turn.signal);
    if (verdict.expired)
      await turn.append([
        { kind: 'approval.answered', turnId: turn.turnId, approvalId, decision: 'denied', reason: verdict.reason },
      ]);
    return verdict;
  } finally {
    shown[Symbol.dispose]();
  }
}

async function askAnew(turn: TurnContext, call: OpenCall, wish: Wish): Promise<ApprovalId> {
  const asked = request(turn, call, wish);
  await turn.append([asked]);
  return asked.approvalId;
}

function request(turn: TurnContext, call: OpenCall, wish: Wish): Extract<SessionEvent, { kind: 'approval.requested' }> {
  return {
    kind: 'approval.requested',
    turnId: turn.turnId,
    callId: call.callId,
    approvalId: approvalIdSchema.parse(newId('apr', turn.clock)),
    tool: wish.name,
    digest: createHash('sha256')
      .update(JSON.stringify([wish.name, call.inputJson]))
      .digest('hex'),
    asks: describeCall(wish.name, wish.input),
  };
}
