/**
 * What the store projects from each event: the session's row and, for an answered request, its usage. Pure, so that a
 * rebuild from the log gives what incremental writing gave. An event of an unknown kind moves only `lastSeq` and time.
 */
import type { Estimate } from '@zerd/protocol/common/cost-events';
import type { LoggedEvent, SessionEvent } from '@zerd/protocol/common/event';
import type { ApprovalId, CallId, PromptId, QuestionId, RequestId, SessionId, TurnId } from '@zerd/protocol/common/ids';
import type { SessionRow } from '@zerd/protocol/common/methods';
import type { Usage } from '@zerd/protocol/common/usage';

/** The row and what is needed to carry it on. */
export interface SessionSummary {
  readonly row: SessionRow;
  /** Whether `row.title` was taken from a message. */
  readonly titled: boolean;
  readonly turnId: TurnId | null;
  readonly openRequest: { readonly requestId: RequestId; readonly model: string } | null;
  readonly openApprovals: readonly OpenApprovalKeys[];
  readonly openQuestions: readonly OpenQuestionKeys[];
  /** Prompts that wait to be submitted. */
  readonly queued: readonly PromptId[];
}

interface OpenQuestionKeys {
  readonly questionId: QuestionId;
  readonly callId: CallId | null;
  readonly turnId: TurnId;
}

interface OpenApprovalKeys {
  readonly approvalId: ApprovalId;
  readonly callId: CallId;
  readonly turnId: TurnId;
}

/** One answered request. */
export interface RequestUsage {
  readonly requestId: RequestId;
  readonly model: string;
  readonly usage: Usage;
  readonly costPico: number | null;
  readonly estimated: Estimate | undefined;
}

export interface Projected {
  readonly summary: SessionSummary;
  readonly usage: RequestUsage | undefined;
}

/** `summary` is undefined before the first event. */
export function project(summary: SessionSummary | undefined, sessionId: SessionId, logged: LoggedEvent): Projected {
  const { seq, at, event } = logged;
  const before = summary ?? blankSummary(sessionId, at);
  const isCopy = seq <= (before.row.forkOf?.seq ?? 0);
  const after = { ...before, ...(isCopy ? withoutCost(before, event) : changeOf(before, event)) };
  // The copies of a fork are older than itself.
  const updatedAt = isCopy ? Math.max(at, after.row.createdAt) : at;
  const row: SessionRow = { ...withQueue(after), updatedAt, lastSeq: seq, state: stateOf(after) };
  return { summary: { ...after, row }, usage: isCopy ? undefined : usageOf(before, event) };
}

/** Every kind that a build of this version understands. */
export function isKnownKind(kind: string): kind is SessionEvent['kind'] {
  return Object.hasOwn(changes, kind);
}

export function knownKinds(): readonly string[] {
  return Object.keys(changes);
}

function blankSummary(sessionId: SessionId, createdAt: number): SessionSummary {
  return {
    row: {
      sessionId,
      createdAt,
      updatedAt: createdAt,
      lastSeq: 0,
      title: '',
      model: '',
      mode: 'read-only',
      state: 'idle',
      requests: 0,
      costPico: 0,
      unpricedRequests: 0,
    },
    titled: false,
    turnId: null,
    openRequest: null,
    openApprovals: [],
    openQuestions: [],
    queued: [],
  };
}

/** What a fork holds of its parent was paid there. */
function withoutCost(summary: SessionSummary, event: SessionEvent): Change {
  const isPaid = event.kind === 'assistant.finished' || event.kind === 'request.failed';
  return isPaid ? { openRequest: null } : changeOf(summary, event);
}

function withQueue({ row: { queued: _, ...row }, queued }: SessionSummary): SessionRow {
  return queued.length === 0 ? row : { ...row, queued: queued.length };
}

function unqueue({ queued }: SessionSummary, promptId: PromptId | undefined): Change {
  return promptId === undefined ? {} : { queued: queued.filter((waiting) => waiting !== promptId) };
}

function stateOf({ turnId, openApprovals, openQuestions }: SessionSummary): SessionRow['state'] {
  if (turnId === null) return 'idle';
  return openApprovals.length + openQuestions.length > 0 ? 'waiting' : 'running';
}

type Kind = SessionEvent['kind'];
type EventOf<K extends Kind> = Extract<SessionEvent, { kind: K }>;
type Change = Partial<SessionSummary>;
type Changes = { readonly [K in Kind]: (summary: SessionSummary, event: EventOf<K>) => Change };

const changes: Changes = {
  'session.created': ({ row }, { model, mode, forkOf, parent }) => ({
    row: {
      ...row,
      model,
      mode,
      ...(forkOf === undefined ? {} : { forkOf: { sessionId: forkOf.sessionId, seq: forkOf.seq } }),
      ...(parent === undefined ? {} : { parentId: parent.sessionId }),
    },
  }),
  'turn.started': (_summary, { turnId }) => ({ turnId }),
  'turn.resumed': () => ({}),
  'message.submitted': (summary, { text, promptId }) => ({
    ...(summary.titled ? {} : { row: { ...summary.row, title: titleOf(text) }, titled: true }),
    ...unqueue(summary, promptId),
  }),
  'mode.changed': ({ row }, { mode }) => ({ row: { ...row, mode } }),
  'model.chosen': () => ({}),
  'model.changed': ({ row }, { model }) => ({ row: { ...row, model } }),
  'request.started': (_summary, { requestId, model }) => ({ openRequest: { requestId, model } }),
  'request.failed': ({ row }, { usage, costPico = null }) => ({
    openRequest: null,
    ...(usage === undefined ? {} : { row: countRequest(row, costPico) }),
  }),
  'assistant.finished': ({ row }, { costPico }) => ({ row: countRequest(row, costPico), openRequest: null }),
  'toolCall.started': () => ({}),
  'toolCall.finished': (summary, { callId }) => ({
    ...closeApprovals(summary, (open) => open.callId === callId),
    ...closeQuestions(summary, (open) => open.callId === callId),
  }),
  'approval.requested': ({ openApprovals }, { approvalId, callId, turnId }) => ({
    openApprovals: [...openApprovals, { approvalId, callId, turnId }],
  }),
  'approval.answered': (summary, { approvalId }) => closeApprovals(summary, (open) => open.approvalId === approvalId),
  'question.asked': ({ openQuestions }, { questionId, callId = null, turnId }) => ({
    openQuestions: [...openQuestions, { questionId, callId, turnId }],
  }),
  'question.answered': (summary, { questionId }) => closeQuestions(summary, (open) => open.questionId === questionId),
  'cache.warned': () => ({}),
  'budget.raised': () => ({}),
  'budget.warned': () => ({}),
  'prompt.queued': ({ queued }, { promptId }) => ({ queued: [...queued, promptId] }),
  'prompt.changed': () => ({}),
  'prompt.removed': (summary, { promptId }) => unqueue(summary, promptId),
  'notes.changed': () => ({}),
  'todo.changed': () => ({}),
  'subagent.started': () => ({}),
  'job.started': () => ({}),
  'job.finished': () => ({}),
  'wait.expired': () => ({}),
  'prompt.held': () => ({}),
  'context.trimmed': () => ({}),
  'context.measured': () => ({}),
  'images.refused': () => ({}),
  'context.compacted': () => ({}),
  'reminder.added': () => ({}),
  'turn.finished': (summary, { turnId }) => ({
    turnId: summary.turnId === turnId ? null : summary.turnId,
    ...closeApprovals(summary, (open) => open.turnId === turnId),
    ...closeQuestions(summary, (open) => open.turnId === turnId),
  }),
};

function changeOf(summary: SessionSummary, event: SessionEvent): Change {
  return isKnownKind(event.kind) ? (changes[event.kind] as Changes[Kind])(summary, event as never) : {};
}

function usageOf({ openRequest, row }: SessionSummary, event: SessionEvent): RequestUsage | undefined {
  if (event.kind !== 'assistant.finished' && event.kind !== 'request.failed') return undefined;
  const { requestId, usage, costPico = null, estimated } = event;
  if (usage === undefined) return undefined;
  const model = openRequest?.requestId === requestId ? openRequest.model : row.model;
  return { requestId, model, usage, costPico, estimated };
}

function countRequest(row: SessionRow, costPico: number | null): SessionRow {
  return {
    ...row,
    requests: row.requests + 1,
    costPico: row.costPico + (costPico ?? 0),
    unpricedRequests: row.unpricedRequests + (costPico === null ? 1 : 0),
  };
}

function closeApprovals({ openApprovals }: SessionSummary, closes: (open: OpenApprovalKeys) => boolean): Change {
  return { openApprovals: openApprovals.filter((open) => !closes(open)) };
}

function closeQuestions({ openQuestions }: SessionSummary, closes: (open: OpenQuestionKeys) => boolean): Change {
  return { openQuestions: openQuestions.filter((open) => !closes(open)) };
}

const titleLength = 80;

/** The first line that says something, without control characters, cut between characters. */
function titleOf(text: string): string {
  const line = text.split(/[\r\n]+/).find((candidate) => candidate.trim() !== '') ?? '';
  const characters = Array.from(
    line
      .slice(0, 4 * titleLength)
      .replace(/\p{Cc}+/gu, ' ')
      .trim(),
  );
  return characters.length <= titleLength ? characters.join('') : `${characters.slice(0, titleLength - 1).join('')}…`;
}
