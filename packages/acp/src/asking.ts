/**
 * Asks the person in the editor for what the daemon waits for. Invariants: what another client answered first is no
 * longer asked; an editor that cannot ask is noticed once, and from then on what it would have to ask is denied with that
 * reason (F-32).
 */
import type { AgentContext, PermissionOption, RequestPermissionRequest } from '@agentclientprotocol/sdk';
import { isZerdError } from '@zerd/protocol/common/errors';
import type { SessionId, TurnId } from '@zerd/protocol/common/ids';
import type { PendingApproval, PendingQuestion } from '@zerd/protocol/common/methods';
import { sanitise } from '@zerd/protocol/common/sanitise';
import type { Feed } from '@zerd/protocol/node/follow';
import { pendingCall } from './updates.ts';

export interface AskingParts {
  readonly editor: AgentContext;
  readonly feed: () => Feed;
  readonly sessionId: SessionId;
  /** Shown to the person, once. */
  readonly tell: (text: string) => void;
}

export interface Asking {
  approval(pending: PendingApproval & { readonly callId?: string }): void;
  question(pending: PendingQuestion): void;
  /** All that is asked now, by sub-agents too: what is new is asked, what is gone no longer. */
  all(approvals: readonly PendingApproval[], questions: readonly PendingQuestion[]): void;
  /** Somebody answered, or nothing is asked any more. */
  over(id: string): void;
  /** What a turn still asked is taken back with its end. */
  turnOver(turnId: TurnId): void;
  close(): void;
}

function choicesFor({ always }: PendingApproval): readonly PermissionOption[] {
  const name = `Always allow here: ${sanitise((always ?? []).join(', '))}`;
  return [
    { optionId: 'allow', name: 'Allow', kind: 'allow_once' },
    ...(always ? [{ optionId: 'always', name, kind: 'allow_always' as const }] : []),
    { optionId: 'reject', name: 'Reject', kind: 'reject_once' },
  ];
}

export function createAsking({ editor, feed, sessionId, tell }: AskingParts): Asking {
  const open = new Map<string, AbortController>();
  /** What was asked and is not over for the daemon, also when the person has chosen; with its turn. */
  const asked = new Map<string, TurnId>();
  let canAsk = true;

  /** The option that was chosen; undefined: none was. */
  async function choose(
    id: string,
    toolCall: ReturnType<typeof pendingCall>,
    options: readonly PermissionOption[],
  ): Promise<string | undefined | 'unable'> {
    if (!canAsk) return 'unable';
    const abort = new AbortController();
    open.set(id, abort);
    try {
      const wish: RequestPermissionRequest = { sessionId, toolCall, options: [...options] };
      const { outcome } = await editor.request('session/request_permission', wish, {
        cancellationSignal: abort.signal,
        stopWaitingOnCancel: true,
      });
      return outcome.outcome === 'selected' ? outcome.optionId : undefined;
    } catch (error) {
      if (abort.signal.aborted) return undefined;
      canAsk = false;
      tell(
        `This editor cannot ask for permission (${messageOf(error)}): what needs it is denied. Choose another mode, or answer in a terminal.`,
      );
      return 'unable';
    } finally {
      open.delete(id);
    }
  }

  async function askApproval(pending: PendingApproval & { readonly callId?: string }) {
    const { approvalId, digest, tool, asks, callId, sessionId: asker = sessionId } = pending;
    const chosen = await choose(approvalId, pendingCall(callId ?? approvalId, tool, asks), choicesFor(pending));
    if (chosen === undefined) return;
    const more = {
      ...(chosen === 'unable' ? { reason: 'the editor cannot ask for permission' } : {}),
      ...(chosen === 'always' ? { always: true } : {}),
    };
    const decision = chosen === 'allow' || chosen === 'always' ? 'granted' : 'denied';
    await feed().request('approval/answer', { sessionId: asker, approvalId, digest, decision, ...more });
  }

  async function askQuestion({ questionId, text, options, sessionId: asker = sessionId }: PendingQuestion) {
    const named = (options ?? []).map((name, index) => ({
      optionId: `${index}`,
      name: sanitise(name),
      kind: 'allow_once' as const,
    }));
    const choices = [...named, { optionId: 'none', name: 'No answer: decide yourself', kind: 'reject_once' as const }];
    const chosen = await choose(questionId, pendingCall(questionId, 'question', text), choices);
    if (chosen === undefined) return;
    const answer = options?.[Number(chosen)] ?? 'No answer: decide yourself.';
    await feed().request('question/answer', { sessionId: asker, questionId, answer });
  }

  /** Once. The first answer holds: another client's may have come before. One that did not arrive may be asked again. */
  function once(id: string, turnId: TurnId, ask: () => Promise<void>): void {
    if (asked.has(id)) return;
    asked.set(id, turnId);
    ask().catch((error: unknown) => {
      if (isZerdError(error) && error.code === 'already_resolved') return;
      asked.delete(id);
      tell(messageOf(error));
    });
  }

  const approval: Asking['approval'] = (pending) =>
    once(pending.approvalId, pending.turnId, () => askApproval(pending));
  const question: Asking['question'] = (pending) =>
    once(pending.questionId, pending.turnId, () => askQuestion(pending));

  function over(id: string): void {
    open.get(id)?.abort();
    asked.delete(id);
  }

  return {
    approval,
    question,
    all(approvals, questions) {
      const pending = new Set<string>([
        ...approvals.map(({ approvalId }) => approvalId),
        ...questions.map(({ questionId }) => questionId),
      ]);
      for (const id of [...asked.keys()]) if (!pending.has(id)) over(id);
      approvals.forEach(approval);
      questions.forEach(question);
    },
    over,
    turnOver(turnId) {
      for (const [id, turn] of [...asked]) if (turn === turnId) over(id);
    },
    close() {
      for (const abort of open.values()) abort.abort();
    },
  };
}

function messageOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : String(error);
}
