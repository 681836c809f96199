/** Events for tests: short builders, and an arbitrary that hits on the same few ids again and again. */
import type { AssistantBlock, LoggedEvent, SessionEvent } from '@zerd/protocol/common/event';
import type { ApprovalId, CallId, RequestId, TurnId } from '@zerd/protocol/common/ids';
import fc from 'fast-check';

type EventOf<K extends SessionEvent['kind']> = Extract<SessionEvent, { kind: K }>;

/** The events numbered from 1, a millisecond apart from 1,001 on. */
export function log(...events: readonly SessionEvent[]): readonly LoggedEvent[] {
  return events.map((event, index) => ({ seq: index + 1, at: 1_001 + index, event }));
}

export const created: EventOf<'session.created'> = {
  kind: 'session.created',
  root: '/repo',
  model: 'sim/sim',
  mode: 'ask',
  system: 'S',
  tools: '[]',
  version: '0.1.0',
};

export const turn: EventOf<'turn.started'> = { kind: 'turn.started', turnId: 'turn_1' as TurnId };

export function message(text: string): SessionEvent {
  return { kind: 'message.submitted', turnId: turn.turnId, text };
}

export function request(requestId: string): SessionEvent {
  const { turnId } = turn;
  return {
    kind: 'request.started',
    requestId: requestId as RequestId,
    turnId,
    model: 'sim/sim',
    attempt: 1,
    bytes: 9,
    segments: [],
  };
}

export function call(callId: string): AssistantBlock {
  return { kind: 'toolCall', callId: callId as CallId, name: 'read', inputJson: '{"path":"a.ts"}' };
}

export function assistant(requestId: string, ...content: readonly AssistantBlock[]): EventOf<'assistant.finished'> {
  return {
    kind: 'assistant.finished',
    requestId: requestId as RequestId,
    turnId: turn.turnId,
    content: [...content],
    stopReason: content.length === 0 ? 'end' : 'toolUse',
    usage: { uncached: 10, cacheRead: 100, cacheWrite: 20, output: 5, reported: true },
    costPico: 1_000,
  };
}

export function finished(callId: string, more: Partial<EventOf<'toolCall.finished'>> = {}): SessionEvent {
  const { turnId } = turn;
  return {
    kind: 'toolCall.finished',
    turnId,
    callId: callId as CallId,
    outcome: 'ok',
    shown: 'ok',
    bytes: 2,
    durationMs: 1,
    ...more,
  };
}

export function compactedThrough(throughSeq: number, summary = 'In short.'): EventOf<'context.compacted'> {
  return {
    kind: 'context.compacted',
    turnId: turn.turnId,
    reason: 'asked for',
    throughSeq,
    summary,
    summaryRequestId: 'req_9' as RequestId,
    usage: { uncached: 1, cacheRead: 9, cacheWrite: 0, output: 3, reported: true },
    predicted: { prompt: 9, after: 5, facts: 2 },
  };
}

const turnId = fc.constantFrom('turn_1', 'turn_2') as fc.Arbitrary<TurnId>;
const requestId = fc.constantFrom('req_1', 'req_2', 'req_3') as fc.Arbitrary<RequestId>;
const callId = fc.constantFrom('c1', 'c2', 'c3', 'c4', '__proto__') as fc.Arbitrary<CallId>;
const jobId = fc.constantFrom('job_1', 'job_2');
const approvalId = fc.constantFrom('apr_1', 'apr_2') as fc.Arbitrary<ApprovalId>;
const model = fc.constantFrom('sim/sim', 'other/big');
const mode = fc.constantFrom('read-only', 'ask', 'edit', 'full');
const text = fc.string({ unit: 'binary', maxLength: 12 });
const tokens = fc.nat(1_000);
const failure = fc.record({ code: fc.constant('provider_failed'), message: text });
const promptId = fc.constantFrom('prm_1', 'prm_2');
const questionId = fc.constantFrom('que_1', 'que_2');
const block = fc.oneof(
  fc.record({ kind: fc.constant('text'), text }),
  fc.record({
    kind: fc.constant('toolCall'),
    callId,
    name: fc.constantFrom('read', 'shell'),
    inputJson: fc.constant('{}'),
  }),
);
const usage = fc.record({
  uncached: tokens,
  cacheRead: tokens,
  cacheWrite: tokens,
  output: tokens,
  reported: fc.boolean(),
});
const file = fc.record({
  path: fc.constantFrom('a.ts', 'b.ts', '__proto__'),
  hash: text,
  how: fc.constantFrom('read', 'written'),
});

const image = fc.record({
  archiveId: fc.constantFrom('1a2b3c4d5e6f', '1a2b3c4d5e70'),
  name: text,
  type: fc.constantFrom('image/png', 'image/webp'),
  width: tokens,
  height: tokens,
  bytes: tokens,
  tokens,
});
const images = fc.array(image, { maxLength: 2 });

const kinds: { readonly [K in SessionEvent['kind']]: fc.Arbitrary<unknown> } = {
  'session.created': fc.constant(created),
  'cache.warned': fc.record({ kind: fc.constant('cache.warned'), turnId, model, text }),
  'budget.raised': fc.record({
    kind: fc.constant('budget.raised'),
    turnId,
    scope: fc.constantFrom('session', 'subagents', 'day'),
    by: fc.record({ pico: tokens, tokens }),
  }),
  'budget.warned': fc.record({ kind: fc.constant('budget.warned'), turnId, model, text }),
  'turn.started': fc.record({ kind: fc.constant('turn.started'), turnId }),
  'message.submitted': fc.record(
    { kind: fc.constant('message.submitted'), turnId, text, images },
    { requiredKeys: ['kind', 'turnId', 'text'] },
  ),
  'mode.changed': fc.record({ kind: fc.constant('mode.changed'), mode }),
  'model.chosen': fc.record({ kind: fc.constant('model.chosen'), model }),
  'model.changed': fc.record({ kind: fc.constant('model.changed'), model }),
  'request.started': fc.record({
    kind: fc.constant('request.started'),
    requestId,
    turnId,
    model,
    attempt: fc.constant(1),
    bytes: tokens,
    segments: fc.constant([]),
    purpose: fc.constantFrom(undefined, undefined, 'keepWarm', 'compaction'),
  }),
  'request.failed': fc.record({ kind: fc.constant('request.failed'), requestId, turnId, failure }),
  'assistant.finished': fc.record({
    kind: fc.constant('assistant.finished'),
    requestId,
    turnId,
    content: fc.array(block, { maxLength: 4 }),
    stopReason: fc.constantFrom('end', 'toolUse'),
    usage,
    costPico: fc.option(fc.nat(1_000_000_000)),
  }),
  'toolCall.started': fc.record({
    kind: fc.constant('toolCall.started'),
    turnId,
    callId,
    name: fc.constant('read'),
    inputJson: fc.constant('{}'),
  }),
  'toolCall.finished': fc.record({
    kind: fc.constant('toolCall.finished'),
    turnId,
    callId,
    outcome: fc.constantFrom('ok', 'failed', 'unknown'),
    shown: text,
    bytes: tokens,
    durationMs: tokens,
    files: fc.array(file, { maxLength: 2 }),
    images,
  }),
  'approval.requested': fc.record({
    kind: fc.constant('approval.requested'),
    turnId,
    callId,
    approvalId,
    tool: fc.constant('shell'),
    digest: text,
    asks: text,
  }),
  'approval.answered': fc.record({
    kind: fc.constant('approval.answered'),
    turnId,
    approvalId,
    decision: fc.constantFrom('granted', 'denied'),
  }),
  'notes.changed': fc.record({
    kind: fc.constant('notes.changed'),
    by: fc.constantFrom('model', 'user'),
    notes: fc.record({ goal: text, next: text }, { requiredKeys: [] }),
  }),
  'todo.changed': fc.record({
    kind: fc.constant('todo.changed'),
    by: fc.constantFrom('model', 'user'),
    list: fc.constantFrom('', '[ ] a', '[x] a\n[>] b\nc'),
  }),
  'context.trimmed': fc.record({
    kind: fc.constant('context.trimmed'),
    turnId,
    reason: text,
    calls: fc.array(callId, { maxLength: 2 }),
    inputs: fc.array(fc.record({ callId, archiveId: fc.constant('1a2b3c4d5e6f') }), { maxLength: 2 }),
    note: text,
    clearedNotes: fc.array(fc.nat(30), { maxLength: 2 }),
    keptFrom: requestId,
    entryAt: requestId,
    endsReasoning: fc.boolean(),
    predicted: fc.constant({ cut: 9, read: 9, kept: 9, rewritten: 9, rent: 9, price: 9, costKept: 9, costTrimmed: 9 }),
  }),
  'context.compacted': fc.record({
    kind: fc.constant('context.compacted'),
    turnId,
    reason: text,
    throughSeq: fc.nat(60),
    summary: text,
    summaryRequestId: requestId,
    usage,
    predicted: fc.constant({ prompt: 9, after: 9, facts: 9 }),
  }),
  'images.refused': fc.record({
    kind: fc.constant('images.refused'),
    turnId,
    images: fc.constant(['1a2b3c4d5e6f']),
    reason: text,
  }),
  'context.measured': fc.record({
    kind: fc.constant('context.measured'),
    turnId,
    requestId,
    prompt: tokens,
    read: tokens,
    saved: fc.integer(),
  }),
  'reminder.added': fc.record({
    kind: fc.constant('reminder.added'),
    turnId,
    text,
    about: fc.oneof(
      fc.record({
        kind: fc.constant('filesChanged'),
        files: fc.array(
          fc.record({ path: fc.constantFrom('a.ts', 'b.ts', '__proto__'), hash: text, lines: fc.boolean() }),
          { maxLength: 2 },
        ),
      }),
      fc.record({ kind: fc.constant('jobsEnded'), jobIds: fc.array(jobId, { maxLength: 2 }) }),
      fc.record({ kind: fc.constant('leakedCall'), times: fc.constantFrom(1, 2) }),
      fc.record({ kind: fc.constant('todoStale'), requests: tokens }),
      fc.record({ kind: fc.constant('notesEdited') }),
    ),
  }),
  'turn.finished': fc.record({
    kind: fc.constant('turn.finished'),
    turnId,
    outcome: fc.constantFrom('done', 'failed'),
  }),
  'turn.resumed': fc.record({ kind: fc.constant('turn.resumed'), turnId, reason: text }),
  'prompt.queued': fc.record({
    kind: fc.constant('prompt.queued'),
    promptId,
    text,
    steers: fc.constantFrom(undefined, 'turn_1', 'turn_2'),
  }),
  'prompt.changed': fc.record({ kind: fc.constant('prompt.changed'), promptId, text }),
  'prompt.removed': fc.record({ kind: fc.constant('prompt.removed'), promptId }),
  'prompt.held': fc.record({
    kind: fc.constant('prompt.held'),
    promptId,
    needs: fc.record({ code: fc.constant('untrusted'), message: text }),
  }),
  'question.asked': fc.record({ kind: fc.constant('question.asked'), turnId, questionId, callId, text }),
  'question.answered': fc.record({ kind: fc.constant('question.answered'), turnId, questionId, answer: text }),
  'subagent.started': fc.record({
    kind: fc.constant('subagent.started'),
    turnId,
    callId,
    sessionId: fc.constant('ses_child'),
    title: text,
  }),
  'wait.expired': fc.record({
    kind: fc.constant('wait.expired'),
    turnId,
    for: text,
    afterMs: tokens,
    reason: text,
  }),
  'job.started': fc.record({ kind: fc.constant('job.started'), turnId, callId, jobId, command: text }),
  'job.finished': fc.record({
    kind: fc.constant('job.finished'),
    jobId,
    outcome: fc.constantFrom('exited', 'lost'),
    bytes: tokens,
  }),
};

/** Any event, with no regard to what makes sense. */
export const anEvent = fc.oneof(...Object.values(kinds)) as fc.Arbitrary<SessionEvent>;
