/**
 * Does: asks the user whether a call may run, and waits for the first answer of any client. The approval stands in the log
 * before anybody waits, and outlives clients and daemons: one that was asked before a restart is waited for again, one
 * that was granted is not asked again.
 */
import { createHash } from 'node:crypto';
import { describeCall } from '@zerd/core/permissions/describe-call';
import type { OpenCall } from '@zerd/core/session/state';
import type { ToolInput, ToolName } from '@zerd/core/tools/declarations';
import type { Failure, SessionEvent } from '@zerd/protocol/common/event';
import { type ApprovalId, approvalIdSchema } from '@zerd/protocol/common/ids';
import { answerMs } from '../../base/answer-time.ts';
import { approvalDeadlineMs, type Verdict } from '../../permissions/gate.ts';
import { newId } from '../new-id.ts';
import { resultWithoutRun } from '../result-without-run.ts';
import type { TurnContext } from '../turn-context.ts';
import { answerIfAllowed } from './answer-by-mode.ts';

export interface WishedCall {
  readonly name: ToolName;
  readonly input: ToolInput<ToolName>;
  /** What would allow it from now on. */
  readonly always?: readonly string[];
}

export type Asked =
  | { readonly kind: 'granted' }
  /** `text`: what the model is told. */
  | { readonly kind: 'denied'; readonly text: string }
  /** The result stands already. */
  | { readonly kind: 'nobody'; readonly failure: Failure };

export async function askForApproval(turn: TurnContext, call: OpenCall, wish: WishedCall): Promise<Asked> {
  const known = call.approval;
  const settled = known !== undefined && known.decision !== 'pending';
  if (turn.state().turn?.headless && !settled) return refuseHeadless(turn, call, wish);
  const { decision, reason } = settled ? known : await waited(turn, call, wish);
  if (decision === 'granted') return { kind: 'granted' };
  return { kind: 'denied', text: `Not run: denied by the user${reason ? ` (${reason})` : ''}.` };
}

/** One transaction: what would have been asked, that nobody could be asked, and the result. */
async function refuseHeadless(turn: TurnContext, call: OpenCall, wish: WishedCall): Promise<Asked> {
  const asked = request(turn, call, wish);
  const reason = 'nobody can answer in a headless run';
  await turn.append([
    asked,
    { kind: 'approval.answered', turnId: turn.turnId, approvalId: asked.approvalId, decision: 'denied', reason },
    resultWithoutRun(call, 'denied', `Not run: it needs the user's permission, and ${reason}.`),
  ]);
  return { kind: 'nobody', failure: { code: 'needs_answer', message: asked.asks } };
}

async function waited(turn: TurnContext, call: OpenCall, wish: WishedCall): Promise<Omit<Verdict, 'expired'>> {
  const { turnId, clock, gate, signal } = turn;
  const { approvalId, requestedAt } = pendingOf(turn, call) ?? (await askAnew(turn, call, wish));
  const ms = answerMs(requestedAt, approvalDeadlineMs, clock.wall());
  const shown = turn.waits.begin(`permission for ${wish.name}`, turn.sessionId, clock.now() + ms);
  // The mode may have been changed while it was being asked.
  void answerIfAllowed(gate, turn.state(), turn.append, { grants: turn.grants() }).catch((error: unknown) =>
    turn.log.warn('what the mode allows could not be granted', { error, sessionId: turn.sessionId }),
  );
  try {
    const { expired, ...verdict } = await gate.wait(approvalId, signal, ms);
    if (expired) await turn.append([{ kind: 'approval.answered', turnId, approvalId, ...verdict }]);
    return verdict;
  } finally {
    shown[Symbol.dispose]();
  }
}

interface Pending {
  readonly approvalId: ApprovalId;
  readonly requestedAt: number;
}

function pendingOf(turn: TurnContext, { approval }: OpenCall): Pending | undefined {
  return turn.state().pendingApprovals.find(({ approvalId }) => approvalId === approval?.approvalId);
}

async function askAnew(turn: TurnContext, call: OpenCall, wish: WishedCall): Promise<Pending> {
  const asked = request(turn, call, wish);
  const { lastAt } = await turn.append([asked]);
  return { approvalId: asked.approvalId, requestedAt: lastAt };
}

type Requested = Extract<SessionEvent, { kind: 'approval.requested' }>;

function request(turn: TurnContext, { callId, inputJson }: OpenCall, { name, input, always }: WishedCall): Requested {
  return {
    kind: 'approval.requested',
    turnId: turn.turnId,
    callId,
    approvalId: approvalIdSchema.parse(newId('apr', turn.clock)),
    tool: name,
    digest: createHash('sha256')
      .update(JSON.stringify([name, inputJson]))
      .digest('hex'),
    asks: describeCall(name, input),
    ...(always && { always: [...always] }),
  };
}
